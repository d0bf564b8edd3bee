/**
 * An agent on a Mastra server (guides/design/agents.md, "Mastra"). Closing the connection stops its model, so barge-in
 * needs no more.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import { askEndpoint, type EndpointWorld } from './ask-endpoint.ts';
import { endpointPath } from './endpoint-path.ts';
import { createMessageEnd } from './message-end.ts';
import { readMastraReply } from './mastra/read-reply.ts';

/** Where no agent is named (guides/design/agents.md, "Bindings"). */
const defaultAgent = 'voiceAssistant';

/** What people copy together with the base of their server: its API, or one agent of it. */
const copied = /\/api(?:\/agents\/(?<id>[^/]+)(?:\/stream)?)?\/*$/;

/**
 * The address of an agent. An Agent ID comes first; then the agent that the chat URL itself points at, which is how an
 * inbound call reaches another one than `voiceAssistant`. Where the chat URL ends in `/api` already, no second one is
 * added: Mastra has nothing at `/api/api`, so nobody can have meant that.
 */
export const mastraUrl = (chatUrl: string, agentId: string | null): string => {
  const base = new URL(chatUrl);
  const match = copied.exec(base.pathname);
  const id = agentId === null ? (match?.groups?.['id'] ?? defaultAgent) : encodeURIComponent(agentId);
  base.pathname = base.pathname.slice(0, match?.index);
  return endpointPath(base.href, `/api/agents/${id}/stream`);
};

export const mastraAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => ({
  async *reply({ messages }, signal) {
    const { binding, context } = call;
    const end = createMessageEnd(world.clock, signal);
    const { body } = await askEndpoint(world, call, {
      url: mastraUrl(url, binding.direction === 'outbound' ? binding.agentId : null),
      // The server keeps no memory of a call without a thread, so it is given everything each time.
      body: { messages, requestContext: { gw: context } },
      signal: end.signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    yield* readMastraReply(end.until(body), world.limits.lineCharacters, end.over);
  },
});
