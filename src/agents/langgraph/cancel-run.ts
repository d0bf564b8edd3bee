import { withTimeout } from '#src/domain/with-timeout.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { endpointHeaders, type EndpointWorld } from '../ask-endpoint.ts';
import { traceparent } from '../trace-agent-request.ts';

/**
 * Stops a run, because the server continues it after the client disconnects. The request has neither a body nor `wait`
 * in its query: the server treats any value of it, even `false`, as a wish to wait. Resolves with an error description
 * for the log; never rejects.
 */
export const cancelRun = async (
  { client, clock, graphTimes: { cancelMs } }: Pick<EndpointWorld, 'client' | 'clock' | 'graphTimes'>,
  call: AgentCall,
  runUrl: string,
): Promise<string | undefined> => {
  try {
    const status = await withTimeout(clock, cancelMs, async (limit) => {
      const response = await client.post(runUrl, {
        headers: endpointHeaders(call, traceparent(call.context.call_id)),
        signal: limit,
      });
      response.discard();
      return response.status;
    });
    return status >= 200 && status < 300
      ? undefined
      : `the abandoned run could not be cancelled: HTTP ${status}`;
  } catch (error) {
    const reason =
      error instanceof EndpointFailure
        ? `${error.failure}, ${error.message}`
        : `no answer within ${cancelMs / 1000} s`;
    return `the abandoned run could not be cancelled: ${reason}`;
  }
};
