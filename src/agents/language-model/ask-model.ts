/** One request to the operator's language model, by the protocol of chat completions. */
import type { Clock } from '#src/domain/clock.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { AgentFailure, retraction } from '../agent.ts';
import { completionsUrl } from '../endpoint-path.ts';
import { readCompletion, type CompletionPart, type ToolCall } from '../chat-completions/read-completion.ts';
import { excerptOf } from '../ask-endpoint.ts';
import { createMessageEnd } from '../message-end.ts';

export type LanguageModel = {
  /** Base URL, with or without a trailing `/chat/completions`. */
  baseUrl: string;
  model: string;
  /** Models that a number may choose instead. */
  otherModels: readonly string[];
  apiKey: string | null;
  /** HTTP client for the operator's own server, which may have any address. */
  client: EndpointClient;
  clock: Clock;
  limits: { streamBytes: number; lineCharacters: number };
  /** Time limit for the first word or tool call of a reply, in milliseconds. */
  firstTokenMs: number;
  /** Called for each failed request. */
  failed?: (failure: ReplyFailure) => void;
};

/** A message in the wire format. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; callId: string; content: string };

export type Tool = { name: string; description: string; parameters: object };

const presentMessage = (message: ModelMessage): object => {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.callId, content: message.content };
  }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  };
};

/**
 * Sends a request to the model. Throws an AgentFailure or an EndpointFailure if the model fails, including
 * `first_token_timeout`, and the signal's reason if aborted.
 */
export async function* askModel(
  { baseUrl, model, apiKey, client, clock, limits, firstTokenMs, failed }: LanguageModel,
  { messages, tools }: { messages: readonly ModelMessage[]; tools: readonly Tool[] },
  signal: AbortSignal,
): AsyncGenerator<CompletionPart, void, undefined> {
  const tooLate = new AbortController();
  const timer = clock.setTimeout(() => tooLate.abort(), firstTokenMs);
  const end = createMessageEnd(clock, AbortSignal.any([signal, tooLate.signal]));
  try {
    const response = await client.post(completionsUrl(baseUrl), {
      headers: {
        'Content-Type': 'application/json',
        ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        messages: messages.map(presentMessage),
        ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
        stream: true,
      }),
      signal: end.signal,
      maxBodyBytes: limits.streamBytes,
    });
    if (response.status < 200 || response.status >= 300) {
      const serverSays = await excerptOf(response, clock);
      throw new AgentFailure('http_error', `HTTP ${response.status}`, {
        serverSays,
        status: response.status,
      });
    }
    for await (const part of readCompletion(end.until(response.body), limits.lineCharacters, end.over)) {
      if (part !== retraction && (typeof part !== 'string' || part.trim() !== '')) clock.clearTimeout(timer);
      yield part;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (!tooLate.signal.aborted) {
      if (error instanceof AgentFailure || error instanceof EndpointFailure) failed?.(error.failure);
      throw error;
    }
    failed?.('first_token_timeout');
    throw new AgentFailure('first_token_timeout', `nothing within ${firstTokenMs / 1000} s`, {
      cause: error,
    });
  } finally {
    clock.clearTimeout(timer);
  }
}
