import type { EndpointClient, EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import { AgentFailure, type AgentCall } from './agent.ts';
import { traceparent } from './traceparent.ts';

/** What all requests to agent endpoints have in common (specification 4.7 and 5.2): JSON, the bearer token, the trace. */
export const askEndpoint = async (
  client: EndpointClient,
  call: AgentCall,
  request: { url: string; headers?: Readonly<Record<string, string>>; body: unknown; signal: AbortSignal },
): Promise<EndpointResponse> => {
  const { url, headers = {}, body, signal } = request;
  const response = await client.post(url, {
    headers: {
      'content-type': 'application/json',
      ...(call.bearerToken === null ? {} : { authorization: `Bearer ${call.bearerToken}` }),
      traceparent: traceparent(call.context.call_id),
      ...headers,
    },
    body: JSON.stringify(body),
    signal,
  });
  if (response.status >= 200 && response.status < 300) return response;
  // Never spoken, whatever its body holds.
  response.discard();
  throw new AgentFailure('http_error', `HTTP ${response.status}`);
};

/** The whole body as JSON. */
export const readJson = async (body: AsyncIterable<Uint8Array>): Promise<unknown> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    // The error quotes what the agent said, so it is no cause to hand on.
    throw new AgentFailure('invalid_reply', 'the response is not JSON');
  }
};
