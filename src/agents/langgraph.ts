/**
 * A graph on a LangGraph server (guides/design/agents.md, "LangGraph"). The thread of a call stores the history, so a
 * turn contains only new messages, unless the server has lost the thread.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import { unlessAborted } from '#src/domain/unless-aborted.ts';
import { AgentFailure, type Agent } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import { readRun } from './langgraph/read-run.ts';
import { createRuns } from './langgraph/runs.ts';
import { createThread } from './langgraph/thread.ts';

export const langgraphAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => {
  const thread = createThread(world, url, call);
  const runs = createRuns(world, url, call, thread);
  return {
    begin() {
      // The error is ignored here: the first turn waits for the creation of the thread, retries a failed one, and
      // reports a failure.
      void thread.stand().catch(() => undefined);
    },
    async *reply({ messages }, signal) {
      signal.throwIfAborted();
      if (call.binding.assistantId === null)
        throw new AgentFailure('no_reply', 'the binding has no assistant ID');
      const problem = await runs.cancelLast(signal);
      if (problem !== undefined) yield { remark: problem };
      await unlessAborted(thread.stand(), signal);
      const { run, frames } = await runs.begin(messages, signal);
      try {
        yield* readRun(frames);
      } finally {
        void run.cancel();
      }
    },
    close() {
      runs.close();
      thread.close();
    },
  };
};
