/**
 * A chat-completions server (guides/design/agents.md, "Chat completions"). It has no memory of the call: every turn
 * brings all messages. The context stands in headers alone, since some servers refuse a body with keys that they do not
 * know.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure, type Agent } from './agent.ts';
import { askEndpoint, type EndpointWorld } from './ask-endpoint.ts';
import { completionsUrl } from './endpoint-path.ts';
import { readCompletion } from './chat-completions/read-completion.ts';

const wantsTool = 'the model asked for a tool, which the server leaves to the caller';

export const openAiCompatibleAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => ({
  async *reply({ messages }, signal) {
    const { context } = call;
    const response = await askEndpoint(world, call, {
      url: completionsUrl(url),
      headers: {
        'X-Gw-Call-Id': context.call_id,
        'X-Gw-Direction': context.direction,
        'X-Gw-From': context.from,
        'X-Gw-To': context.to,
        'X-Gw-Language': context.language,
      },
      body: { messages: messages.map(({ role, content }) => ({ role, content })), stream: true },
      signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    let hasWords = false;
    for await (const part of readCompletion(response.body, world.limits.lineCharacters)) {
      if (typeof part === 'string') hasWords ||= part.trim() !== '';
      if (typeof part === 'string' || 'remark' in part) yield part;
      // The gateway has no tools to lend: the server must call its own.
      else if (hasWords) yield { remark: wantsTool };
      else throw new AgentFailure('no_reply', wantsTool);
    }
  },
});
