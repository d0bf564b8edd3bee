import type { Clock } from '#src/domain/clock.ts';
import type { EndpointClient, EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure } from './agent.ts';
import { excerptOf } from './excerpt.ts';
import { traceAgentRequest } from './trace-agent-request.ts';

/** The longest waits for a LangGraph server beside the reply itself, in milliseconds. */
export type GraphTimes = {
  /** Until the thread of a call stands. */
  threadMs: number;
  /** Until an interrupted run is cancelled. */
  cancelMs: number;
  /** The same, where the next turn waits for it. */
  cancelWaitMs: number;
  /** For a request to arrive that was given up before the server has named its run. */
  arrivalMs: number;
};

/** Everything that agents on customers' servers work with. */
export type EndpointWorld = {
  client: EndpointClient;
  /** The system's clock, also where calls run accelerated. */
  clock: Clock;
  limits: {
    /** Bytes of a streamed reply; far more than its words, for some servers repeat all of it with each token. */
    streamBytes: number;
    /** Characters of one line of it. */
    lineCharacters: number;
  };
  graphTimes: GraphTimes;
};

export type AgentEndpointRequest = {
  url: string;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
  signal: AbortSignal;
  /** Where the reply is streamed. */
  maxBodyBytes?: number;
};

/** What every request to an agent endpoint carries: its owner's own headers, the bearer token, the trace. */
export const endpointHeaders = (
  { headers, bearerToken }: Pick<AgentCall, 'headers' | 'bearerToken'>,
  traceparent: string,
): Record<string, string> => ({
  ...headers,
  ...(bearerToken === null ? {} : { Authorization: `Bearer ${bearerToken}` }),
  traceparent,
});

/**
 * The common part of all requests to agent endpoints (guides/design/agents.md, "Headers"): JSON, and what every request
 * carries. Throws an AgentFailure `http_error` for a status that is no success, whatever its body holds.
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
