/** The generic JSON webhook (guides/design/agents.md, "Webhook"). */
import { z } from 'zod';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure, type Agent } from './agent.ts';
import { askEndpoint, readJson, type EndpointWorld } from './ask-endpoint.ts';

const responseBody = z.object({ reply: z.string(), controls: z.unknown().optional() });

export const webhookAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => ({
  async *reply({ messages }, signal) {
    const { context } = call;
    const response = await askEndpoint(world, call, {
      url,
      body: {
        call_id: context.call_id,
        session_id: context.call_id,
        message: messages.findLast(({ role }) => role === 'user')?.content ?? '',
        locale: context.language,
        gw: context,
      },
      signal,
    });
    const parsed = responseBody.safeParse(await readJson(response.body));
    if (!parsed.success) throw new AgentFailure('invalid_reply', 'the response has no text in "reply"');
    yield parsed.data.reply;
    if (parsed.data.controls !== undefined) yield { controls: parsed.data.controls };
  },
});
