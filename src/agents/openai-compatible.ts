/**
 * A chat-completions server (guides/design/agents.md, "Chat completions"). The server does not store the call, so every
 * request contains all messages. The context is sent only in headers, because some servers reject a body with unknown
 * keys.
 */
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure, retraction, type Agent } from './agent.ts';
import { askEndpoint, type EndpointWorld } from './ask-endpoint.ts';
import { completionsUrl } from './endpoint-path.ts';
import { readCompletion } from './chat-completions/read-completion.ts';
import { createMessageEnd } from './message-end.ts';
import { wantsTool } from './model-marks.ts';

export const openAiCompatibleAgent = (world: EndpointWorld, url: string, call: AgentCall): Agent => ({
  async *reply({ messages }, signal) {
    const { context } = call;
    const end = createMessageEnd(world.clock, signal);
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
      signal: end.signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    let hasWords = false;
    const { lineCharacters } = world.limits;
    for await (const part of readCompletion(end.until(response.body), lineCharacters, end.over)) {
      if (typeof part === 'string') hasWords ||= part.trim() !== '';
      if (part === retraction) hasWords = false;
      if (typeof part === 'string' || part === retraction || 'remark' in part) yield part;
      // The tool call is not executed: the gateway offers no tools, so the server must execute its own.
      else if (hasWords) yield { remark: wantsTool };
      else throw new AgentFailure('no_reply', wantsTool);
    }
  },
});
