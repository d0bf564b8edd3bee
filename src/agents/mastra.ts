/**
 * An agent on a Mastra server (guides/design/agents.md, "Mastra"). Closing the connection stops the server's model,
 * which is sufficient for barge-in.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import { askEndpoint, type EndpointWorld } from './ask-endpoint.ts';
import { endpointPath } from './endpoint-path.ts';
import { createMessageEnd } from './message-end.ts';
import { readMastraReply } from './mastra/read-reply.ts';

/** Name of the default agent (guides/design/agents.md, "Bindings"). */
const defaultAgent = 'voiceAssistant';

/** Path suffixes that people copy together with the server's base URL: the server's API, or one agent of it. */
const copied = /\/api(?:\/agents\/(?<id>[^/]+)(?:\/stream)?)?\/*$/;

/**
 * Returns the URL of an agent. The agent id takes precedence, then the agent in the path of the chat URL, by which an
 * inbound call can reach an agent other than `voiceAssistant`. If the chat URL already ends in `/api`, it is not added
 * again, because Mastra serves no path `/api/api`.
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
      // Every request contains all messages, because the server stores no history without a thread.
      body: { messages, requestContext: { gw: context } },
      signal: end.signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    yield* readMastraReply(end.until(body), world.limits.lineCharacters, end.over);
  },
});
