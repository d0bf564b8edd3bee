/**
 * An n8n workflow behind its chat trigger (guides/design/agents.md, "n8n"). The workflow stores its history by
 * `sessionId`, so a request contains only the new turn. A running workflow cannot be stopped from outside: barge-in
 * only closes the connection.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import { askEndpoint, type EndpointWorld } from './ask-endpoint.ts';
import { readN8nReply } from './n8n/read-reply.ts';

export const n8nAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => ({
  async *reply({ messages }, signal) {
    const { context } = call;
    const { body } = await askEndpoint(world, call, {
      url,
      body: {
        action: 'sendMessage',
        sessionId: context.call_id,
        chatInput: messages.findLast(({ role }) => role === 'user')?.content ?? '',
        metadata: { gw: context },
      },
      signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    yield* readN8nReply(body, world.limits.lineCharacters);
  },
});
