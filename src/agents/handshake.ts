/**
 * Asks a number's authentication URL whether to admit a caller (guides/design/agents.md, "Handshake"). Any response
 * other than a clear yes counts as no.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { HandshakeResult } from '#src/domain/agent-call.ts';
import type { AgentContext } from '#src/domain/agent-context.ts';
import type { Clock } from '#src/domain/clock.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';
import { AgentFailure } from './agent.ts';
import { readJson } from './ask-endpoint.ts';
import { traceparent } from './trace-agent-request.ts';

export type HandshakeRequest = { url: string; secret: string; context: AgentContext };

export type Handshake = (request: HandshakeRequest) => Promise<HandshakeResult>;

/** Session token, limited to characters that are valid in a header. */
const responseBody = z.object({ session_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });

const rejected = (reason: string): HandshakeResult => ({ allowed: false, reason });

export const createHandshake = (options: {
  client: EndpointClient;
  /** Timeout of the whole exchange. */
  timeoutMs: number;
  /** The system clock, even if calls run faster than real time. */
  clock: Clock;
}): Handshake => {
  const { client, timeoutMs, clock } = options;

  const ask = async (
    { url, secret, context }: HandshakeRequest,
    signal: AbortSignal,
  ): Promise<HandshakeResult> => {
    const body = JSON.stringify(context);
    const response = await client.post(url, {
      headers: {
        'content-type': 'application/json',
        traceparent: traceparent(context.call_id),
        ...signStandardWebhook({
          id: `hsk_${randomUUID()}`,
          timestamp: Math.floor(clock.now() / 1000),
          body,
          secrets: [secret],
        }),
      },
      body,
      signal,
    });
    if (response.status !== 200) {
      response.discard();
      return rejected(`HTTP ${response.status}`);
    }
    const parsed = responseBody.safeParse(await readJson(response.body));
    return parsed.success
      ? { allowed: true, sessionToken: parsed.data.session_token }
      : rejected('the response has no usable session_token');
  };

  return async (request) => {
    try {
      return await withTimeout(clock, timeoutMs, (limit) => ask(request, limit));
    } catch (error) {
      if (error instanceof EndpointFailure || error instanceof AgentFailure) {
        return rejected(`${error.failure}: ${error.message}`);
      }
      if (error instanceof TimeoutError) return rejected(`no answer within ${timeoutMs / 1000} s`);
      throw error;
    }
  };
};
