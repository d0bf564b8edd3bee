/**
 * Runs of a call on its thread, which accepts one at a time: an interrupted run is cancelled before the next begins.
 */
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { AgentFailure } from '../agent.ts';
import type { EndpointWorld } from '../ask-endpoint.ts';
import type { Frame } from '../wire/read-frames.ts';
import { startRun, type Run } from './run.ts';
import type { Thread } from './thread.ts';
import { createToldMessages } from './told-messages.ts';
import { unlessAborted } from './unless-aborted.ts';

export type BegunRun = { run: Run; frames: AsyncGenerator<Frame, void, undefined> };

export type Runs = {
  /** Releases the previous run; resolves with an error description for the log. Rejects only if aborted. */
  cancelLast(signal: AbortSignal): Promise<string | undefined>;
  /** Begins a run with those messages that the thread does not contain. Rejects as `askEndpoint` does. */
  begin(messages: readonly Message[], signal: AbortSignal): Promise<BegunRun>;
  /** The call is over. */
  close(): void;
};

/** Statuses for a missing or busy thread; servers do not distinguish the two. */
const isThreadTrouble = (error: unknown): boolean =>
  error instanceof AgentFailure && [404, 409, 422].includes(error.status ?? 0);

export const createRuns = (world: EndpointWorld, url: string, call: AgentCall, thread: Thread): Runs => {
  const told = createToldMessages(call.turnsTold);
  let last: Run | undefined;

  const start = async (
    messages: readonly Message[],
    news: readonly Message[],
    signal: AbortSignal,
  ): Promise<BegunRun> => {
    signal.throwIfAborted();
    const before = last;
    const run = startRun(world, { url, call }, { messages: news, onBegun: () => told.hold(messages) });
    last = run;
    signal.addEventListener('abort', () => void run.cancel(), { once: true });
    try {
      return { run, frames: await unlessAborted(run.opened, signal) };
    } catch (error) {
      // The new run was refused and never existed; the previous run may still exist.
      if (error instanceof AgentFailure && error.failure === 'http_error') last = before;
      throw error;
    }
  };

  const startAgain = async (messages: readonly Message[], signal: AbortSignal): Promise<BegunRun> => {
    const isNew = await unlessAborted(thread.standAgain(), signal);
    if (last !== undefined) await unlessAborted(last.cancelAgain(), signal);
    // A thread that was lost with its history receives the history again, as far as it was heard.
    return start(messages, isNew ? messages : told.untold(messages), signal);
  };

  return {
    async cancelLast(signal) {
      if (last === undefined) return undefined;
      const cancelling = last.cancel();
      const problem = await withTimeout(world.clock, world.graphTimes.cancelWaitMs, () =>
        unlessAborted(cancelling, signal),
      ).catch(() => 'the abandoned run was not cancelled before the next turn');
      signal.throwIfAborted();
      return problem;
    },
    begin: (messages, signal) =>
      start(messages, told.untold(messages), signal).catch((error: unknown) => {
        if (!isThreadTrouble(error)) throw error;
        return startAgain(messages, signal);
      }),
    close: () => void last?.cancel(),
  };
};
