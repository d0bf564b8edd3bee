import type { ExecutionContext } from 'ava';
import { graphTimes, outgoingLimits, replyLimits } from '#config/policy.ts';
import type { EndpointWorld } from '#src/agents/ask-endpoint.ts';
import { acceleratedClock } from '#src/clocks.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';

/** A slow clock, so that neither a test nor a busy machine reaches a time limit. */
const patientClock = acceleratedClock(1 / 100);

/** Dependencies of agents on customers' servers, for servers on loopback; closed with the test. */
export const endpointWorld = (t: ExecutionContext): EndpointWorld => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: outgoingLimits.maxBodyBytes,
    connectionsPerHost: 4,
  });
  t.teardown(() => client.close());
  return { client, clock: patientClock, limits: replyLimits, graphTimes };
};
