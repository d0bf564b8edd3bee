/**
 * Runs of a call on its thread, which accepts one at a time: an interrupted run is cancelled before the next begins.
 */
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { unlessAborted } from '#src/domain/unless-aborted.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { AgentFailure } from '../agent.ts';
import type { EndpointWorld } from '../ask-endpoint.ts';
import type { Frame } from '../wire/read-frames.ts';
import { type Run, startRun } from './run.ts';
import type { Thread } from './thread.ts';

/** Tracks which user messages a thread already contains; a run that is cancelled before it begins adds none. */
type EmittedMessages = {
  /**
   * Returns the messages that the thread does not contain. The newest message is always among them, even for a repeated
   * request.
   */
  unsent(messages: readonly Message[]): readonly Message[];
  /** Records that the thread contains all of these messages now. */
  hold(messages: readonly Message[]): void;
};

/** Creates the tracker. `count` is the number of messages that the thread already contains from an earlier process. */
export const createEmittedMessages = (count = 0): EmittedMessages => {
  const ofUser = (messages: readonly Message[]): readonly Message[] =>
    messages.filter(({ role }) => role === 'user');
  return {
    unsent(messages) {
      const emitted = ofUser(messages);
      return emitted.slice(Math.min(count, emitted.length - 1));
    },
    hold(messages) {
      count = Math.max(count, ofUser(messages).length);
    },
  };
};

export type BegunRun = { run: Run; frames: AsyncGenerator<Frame, void, undefined> };

export type Runs = {
  /** Releases the previous run. Resolves to an error description for the log. Rejects only if aborted. */
  cancelLast(signal: AbortSignal): Promise<string | undefined>;
  /** Begins a run with the messages that the thread does not contain. Rejects like `askEndpoint`. */
  begin(messages: readonly Message[], signal: AbortSignal): Promise<BegunRun>;
  /** Called when the call is over. */
  close(): void;
};

/** Whether a status means a missing or busy thread; servers do not distinguish the two. */
const isThreadTrouble = (error: unknown): boolean =>
  error instanceof AgentFailure && [404, 409, 422].includes(error.status ?? 0);

export const createRuns = (world: EndpointWorld, url: string, call: AgentCall, thread: Thread): Runs => {
  const emitted = createEmittedMessages(call.turnsReceived);
  let last: Run | undefined;

  const start = async (
    messages: readonly Message[],
    news: readonly Message[],
    { interruptsOther, signal }: { interruptsOther: boolean; signal: AbortSignal },
  ): Promise<BegunRun> => {
    signal.throwIfAborted();
    const before = last;
    const run = startRun(
      world,
      { url, call },
      { messages: news, interruptsOther, onBegun: () => emitted.hold(messages) },
    );
    last = run;
    signal.addEventListener('abort', () => void run.cancel(), { once: true });
    try {
      return { run, frames: await unlessAborted(run.opened, signal) };
    } catch (error) {
      // The refused run never existed, so the previous run, which may still exist, counts as the last one.
      if (error instanceof AgentFailure && error.failure === 'http_error') last = before;
      throw error;
    }
  };

  const startAgain = async (messages: readonly Message[], signal: AbortSignal): Promise<BegunRun> => {
    const isNew = await unlessAborted(thread.standAgain(), signal);
    if (last !== undefined) await unlessAborted(last.cancelAgain(), signal);
    // A thread that was lost with its history receives the history again, as far as the other party heard it. A run that
    // keeps the thread busy without being this process's belongs to a gateway that has died, so its id is unknown.
    return start(messages, isNew ? messages : emitted.unsent(messages), {
      interruptsOther: last === undefined,
      signal,
    });
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
      start(messages, emitted.unsent(messages), { interruptsOther: false, signal }).catch(
        (error: unknown) => {
          if (!isThreadTrouble(error)) throw error;
          return startAgain(messages, signal);
        },
      ),
    close: () => void last?.cancel(),
  };
};
