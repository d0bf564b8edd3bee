/**
 * Requests to the gateway that owns a call. That gateway performs and answers them, or counts as unreachable after a
 * time limit. An expired request is withdrawn, so that it is not performed long after it was made.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import { NodeUnreachable } from '#src/domain/node-unreachable.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  answerSignal,
  sendSignal,
  signalChannel,
  takeAnswers,
  takeSignals,
  withdrawSignal,
  type StoredSignal,
} from '#src/persistence/nodes/node-signals.ts';
import type { WakeUps } from './wake-ups.ts';

export type NodeSignals = {
  /**
   * Starts performing requests of other gateways. Errors of `perform` are logged; the requesting gateway gets no
   * answer.
   */
  open(perform: (request: unknown) => Promise<object>): Promise<void>;
  /**
   * Resolves to the answer of the other gateway. Rejects with `NodeUnreachable`, or if the database is unavailable. The
   * request may then have been performed, unless the error is a `NodeUnreachable` that says it was withdrawn.
   */
  ask(node: string, request: object): Promise<unknown>;
  close(): Promise<void>;
};

type NodeSignalsOptions = {
  database: Database;
  wakeUps: WakeUps;
  node: string;
  /** Time limit for an answer. */
  answerMs: number;
  clock: Clock;
  logger: Logger;
};

/** Open requests of this gateway to others. */
const createQuestions = ({
  database,
  node,
  answerMs,
  clock,
  wakeUps,
}: Pick<NodeSignalsOptions, 'database' | 'node' | 'answerMs' | 'clock' | 'wakeUps'>) => {
  const waiting = new Map<string, (answer: unknown) => void>();
  const noAnswer = `No answer within ${answerMs} ms`;

  return {
    async ask(other: string, request: object): Promise<unknown> {
      const id = randomUUID();
      const answer = Promise.withResolvers<unknown>();
      waiting.set(id, answer.resolve);
      const send = async (): Promise<unknown> => {
        await sendSignal(database, { id, toNode: other, fromNode: node, request });
        await wakeUps.wake(signalChannel(other));
        return answer.promise;
      };
      try {
        return await withTimeout(clock, answerMs, send, {
          error: () => new NodeUnreachable(noAnswer, { isWithdrawn: false }),
        });
      } catch (error) {
        // If the withdrawal fails, the stored request soon expires.
        const withdrawn = await withdrawSignal(database, id).catch(() => undefined);
        if (withdrawn?.state === 'answered') return withdrawn.answer;
        if (withdrawn?.state === 'sent')
          throw new NodeUnreachable(noAnswer, { isWithdrawn: true, cause: error });
        throw error;
      } finally {
        waiting.delete(id);
      }
    },
    /** Delivers received answers to their requesters. */
    async readAnswers(): Promise<void> {
      if (waiting.size === 0) return;
      for (const { id, answer } of await takeAnswers(database, [...waiting.keys()]))
        waiting.get(id)?.(answer);
    },
  };
};

type Perform = (request: unknown) => Promise<object>;

/** Performs and answers requests of other gateways. Never rejects. */
const answer = async (
  { database, wakeUps, logger }: Pick<NodeSignalsOptions, 'database' | 'wakeUps' | 'logger'>,
  signal: StoredSignal,
  perform: Perform,
): Promise<void> => {
  try {
    const isAwaited = await answerSignal(database, signal, await perform(signal.request));
    if (isAwaited) await wakeUps.wake(signalChannel(signal.fromNode));
  } catch (error) {
    logger.error({ err: error, from_node: signal.fromNode }, 'a request of another gateway failed');
  }
};

export const createNodeSignals = (options: NodeSignalsOptions): NodeSignals => {
  const { database, wakeUps, node, answerMs, logger } = options;
  const questions = createQuestions(options);
  let perform: Perform | null = null;
  let unlisten: (() => Promise<void>) | null = null;

  const takeRequests = async (): Promise<void> => {
    if (perform === null) return;
    // Requests are not awaited, so that a slow request does not block others.
    for (const signal of await takeSignals(database, node, answerMs))
      if (perform !== null) void answer(options, signal, perform);
  };

  const reading = createCoalescedTask(async () => {
    try {
      await questions.readAnswers();
      await takeRequests();
    } catch (error) {
      logger.warn({ err: error }, 'requests of other gateways could not be read');
    }
  });
  const read = (): void => void reading.run();

  return {
    async open(performer) {
      perform = performer;
      unlisten = await wakeUps.listen(signalChannel(node), read);
      read();
    },
    ask: questions.ask,
    async close() {
      perform = null;
      await unlisten?.();
      await reading.close();
    },
  };
};
