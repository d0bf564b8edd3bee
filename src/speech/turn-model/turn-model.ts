/**
 * Turn-end model in a worker thread. Each question is answered within a time limit or not at all. A thread that ended
 * is replaced after a delay.
 */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { TurnModel } from '#sip/audio/listening/turn-end/model-ends.ts';
import type { Clock } from '#src/domain/clock.ts';
import { StartError } from '#src/domain/start-error.ts';
import type { FromModelThread, ModelFiles, ToModelThread } from './model-thread-messages.ts';
import { longestMs } from './model-audio.ts';

export type TurnModelLimits = Readonly<{
  /** Time limit of a waiting question. */
  answerMs: number;
  /** Maximum number of waiting questions; further ones are not answered. */
  questions: number;
  /** Delay before an ended thread is replaced. */
  againMs: number;
}>;

/** Probability from which a turn counts as over. */
const sureness = 0.5;

export type StartedTurnModel = TurnModel & { close(): Promise<void> };

type Thread = { ask(message: ToModelThread): void; end(): Promise<unknown> };

const startThread = (
  files: ModelFiles,
  on: { answer: (question: number, probability: number | null) => void; ended: (error?: Error) => void },
): { thread: Thread; ready: Promise<void> } => {
  const worker = new Worker(new URL('./model-thread.ts', import.meta.url), { workerData: files });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  worker.on('message', (message: FromModelThread) => {
    if (message.type === 'ready') resolve();
    else if (message.type === 'unfit') reject(new StartError(`GW_TURN_MODEL: ${message.problem}`));
    else on.answer(message.question, message.probability);
  });
  worker.on('error', (error) => on.ended(error));
  worker.on('exit', () => {
    reject(new StartError('GW_TURN_MODEL: the thread of the model ended before it was ready'));
    on.ended();
  });
  return {
    thread: { ask: (message) => worker.postMessage(message), end: () => worker.terminate() },
    ready: promise,
  };
};

/** Starts the model. Throws a StartError about the model or the runtime. */
export const startTurnModel = async (
  files: ModelFiles,
  { limits, clock, logger }: { limits: TurnModelLimits; clock: Clock; logger: Logger },
): Promise<StartedTurnModel> => {
  const waiting = new Map<number, { settle: (isOver: boolean | null) => void }>();
  let asked = 0;
  let state: { thread: Thread } | { endedAt: number } | 'closed' = { endedAt: -Infinity };

  const begin = (): Promise<void> => {
    const { thread, ready } = startThread(files, {
      answer: (question, probability) =>
        waiting.get(question)?.settle(probability === null ? null : probability >= sureness),
      ended: (error) => {
        if (state === 'closed' || !('thread' in state) || state.thread !== thread) return;
        state = { endedAt: clock.now() };
        logger.error({ err: error }, 'the thread of the turn model ended: pauses decide the ends of turns');
        for (const { settle } of waiting.values()) settle(null);
      },
    });
    state = { thread };
    return ready;
  };

  const beginAgain = (endedAt: number): void => {
    if (clock.now() < endedAt + limits.againMs) return;
    begin().catch((error: unknown) => logger.error({ err: error }, 'restarting the turn model failed'));
  };

  const close = async (): Promise<void> => {
    if (state === 'closed') return;
    const thread = 'thread' in state ? state.thread : null;
    state = 'closed';
    for (const { settle } of waiting.values()) settle(null);
    await thread?.end();
  };

  try {
    await begin();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    longestMs,
    isOver(samples, sampleRate) {
      if (state === 'closed' || waiting.size >= limits.questions) return Promise.resolve(null);
      if (!('thread' in state)) {
        beginAgain(state.endedAt);
        return Promise.resolve(null);
      }
      const { promise, resolve } = Promise.withResolvers<boolean | null>();
      const question = (asked += 1);
      const settle = (isOver: boolean | null): void => {
        clock.clearTimeout(timer);
        waiting.delete(question);
        resolve(isOver);
      };
      const timer = clock.setTimeout(() => settle(null), limits.answerMs);
      waiting.set(question, { settle });
      state.thread.ask({ question, samples, sampleRate });
      return promise;
    },
    close,
  };
};
