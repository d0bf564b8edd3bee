/**
 * A graph on a LangGraph server (guides/design/agents.md, "LangGraph"). Its thread keeps the history, so a turn holds
 * only what is new, unless the server has lost it. A thread takes one run at a time: an interrupted one is cancelled
 * before the next begins.
 */
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { AgentFailure, type Agent } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import { readRun } from './langgraph/read-run.ts';
import { startRun, type Run } from './langgraph/run.ts';
import { createThread } from './langgraph/thread.ts';
import { unlessAborted } from './langgraph/unless-aborted.ts';

/** How long a turn waits until the run before it is cancelled. */
const cancelWaitMs = 1_500;

/** What servers answer when the thread is missing or busy; which of the two is not to be told from it. */
const isThreadTrouble = (error: unknown): boolean =>
  error instanceof AgentFailure && [404, 409, 422].includes(error.status ?? 0);

export const langgraphAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => {
  const thread = createThread(world, url, call);
  /** How many of the user's messages the thread holds; a run that is cancelled before it begins has taken none. */
  let taken = 0;
  let last: Run | undefined;

  /** Lets go of the run before; resolves with what went wrong, for the log. */
  const leaveLast = async (signal: AbortSignal): Promise<string | undefined> => {
    if (last === undefined) return undefined;
    const leaving = last.leave();
    const problem = await withTimeout(world.clock, cancelWaitMs, () => unlessAborted(leaving, signal)).catch(
      () => 'the abandoned run was not cancelled before the next turn',
    );
    signal.throwIfAborted();
    return problem;
  };

  /** What the thread does not hold; the newest words in any case, also where somebody asks twice. */
  const untold = (messages: readonly Message[]): readonly Message[] => {
    const told = messages.filter(({ role }) => role === 'user');
    return told.slice(Math.min(taken, told.length - 1));
  };

  const start = async (messages: readonly Message[], news: readonly Message[], signal: AbortSignal) => {
    signal.throwIfAborted();
    const before = last;
    const count = messages.filter(({ role }) => role === 'user').length;
    const run = startRun(
      world,
      { url, call },
      {
        messages: news,
        onBegun: () => {
          taken = Math.max(taken, count);
        },
      },
    );
    last = run;
    signal.addEventListener('abort', () => void run.leave(), { once: true });
    try {
      return { run, frames: await unlessAborted(run.opened, signal) };
    } catch (error) {
      // It was never there; what is left of the run before it still is.
      if (error instanceof AgentFailure && error.failure === 'http_error') last = before;
      throw error;
    }
  };

  const startAgain = async (messages: readonly Message[], signal: AbortSignal) => {
    const isNew = await unlessAborted(thread.standAgain(), signal);
    if (last !== undefined) await unlessAborted(last.cancelAgain(), signal);
    // A thread that was lost with its history is given it again, as far as it was heard.
    return start(messages, isNew ? messages : untold(messages), signal);
  };

  return {
    begin() {
      // The first turn waits for it, or tries again: a failure is told there.
      void thread.stand().catch(() => undefined);
    },
    async *reply({ messages }, signal) {
      signal.throwIfAborted();
      if (call.binding.assistantId === null)
        throw new AgentFailure('no_reply', 'the binding has no assistant ID');
      const problem = await leaveLast(signal);
      if (problem !== undefined) yield { remark: problem };
      await unlessAborted(thread.stand(), signal);
      const { run, frames } = await start(messages, untold(messages), signal).catch((error: unknown) => {
        if (!isThreadTrouble(error)) throw error;
        return startAgain(messages, signal);
      });
      try {
        yield* readRun(frames);
      } finally {
        void run.leave();
      }
    },
    end() {
      void last?.leave();
      thread.end();
    },
  };
};
