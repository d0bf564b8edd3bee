import type { Clock } from '#src/domain/clock.ts';
import type { EndpointClient, EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure } from './agent.ts';
import { traceAgentRequest } from './trace-agent-request.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';

const longestBytes = 2_048;
/** Time limit in milliseconds for reading an error body, so that a slow or endless body does not delay the call. */
const longestWaitMs = 300;

/**
 * Returns the beginning of an error response for the endpoint's owner; empty if it cannot be read. The text must be
 * neither spoken nor logged. The function consumes the response and never throws.
 */
export const excerptOf = async ({ body, discard }: EndpointResponse, clock: Clock): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const read = async (): Promise<void> => {
    for await (const bytes of body) {
      chunks.push(bytes);
      size += bytes.byteLength;
      if (size >= longestBytes) return;
    }
  };
  // The body only explains an error, so a failure to read it is ignored.
  const reading = read().catch(() => undefined);
  if (!(await doneWithin(clock, longestWaitMs, reading))) discard();
  return Buffer.concat(chunks).subarray(0, longestBytes).toString('utf8').trim();
};

/** Timeouts for LangGraph requests other than the reply itself, in milliseconds. */
export type GraphTimes = {
  /** Time limit for the creation of a call's thread. */
  threadMs: number;
  /** Time limit for the cancelling of an interrupted run. */
  cancelMs: number;
  /** Time limit for the cancelling of an interrupted run while the next turn waits for it. */
  cancelWaitMs: number;
  /** Time limit for the response to a request that was aborted before the server named its run. */
  arrivalMs: number;
};

/** Dependencies shared by all agents on customers' servers. */
export type EndpointWorld = {
  client: EndpointClient;
  /** The system clock, even if calls run faster than real time. */
  clock: Clock;
  limits: {
    /**
     * Maximum number of bytes of a streamed reply, far more than its words, because some servers repeat the whole text
     * with each token.
     */
    streamBytes: number;
    /** Maximum number of characters per line of a streamed reply. */
    lineCharacters: number;
  };
  graphTimes: GraphTimes;
};

export type AgentEndpointRequest = {
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
  signal: AbortSignal;
  /** Maximum number of bytes of a streamed reply, if it differs from the default. */
  maxBodyBytes?: number;
};

/** Properties of every request to an agent endpoint: the owner's custom headers, the bearer token and the trace. */
export const endpointHeaders = (
  { headers, bearerToken }: Pick<AgentCall, 'headers' | 'bearerToken'>,
  traceparent: string,
): Record<string, string> => ({
  ...headers,
  ...(bearerToken === null ? {} : { Authorization: `Bearer ${bearerToken}` }),
  traceparent,
});

/**
 * Common part of all requests to agent endpoints (guides/design/agents.md, "Headers"): JSON body, custom headers,
 * bearer token, trace. Throws an AgentFailure `http_error` for a status other than success, whatever the body contains.
 */
export const askEndpoint = async (
  { client, clock }: Pick<EndpointWorld, 'client' | 'clock'>,
  call: AgentCall,
  { url, headers = {}, body, ...others }: AgentEndpointRequest,
): Promise<EndpointResponse> => {
  const { call_id: callId } = call.context;
  const response = await traceAgentRequest(callId, url, (traceparent) =>
    client.post(url, {
      headers: {
        'Content-Type': 'application/json',
        ...endpointHeaders(call, traceparent),
        ...headers,
      },
      body: JSON.stringify(body),
      ...others,
    }),
  );
  if (response.status >= 200 && response.status < 300) return response;
  const serverSays = await excerptOf(response, clock);
  throw new AgentFailure('http_error', `HTTP ${response.status}`, {
    status: response.status,
    ...(serverSays === '' ? {} : { serverSays }),
  });
};

/** Reads the whole body as JSON. */
export const readJson = async (body: AsyncIterable<Uint8Array>): Promise<unknown> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    // The parser's error is not passed on as the cause, because it quotes the agent's words.
    throw new AgentFailure('invalid_reply', 'the response is not JSON');
  }
};
