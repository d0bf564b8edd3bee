/** An endpoint on this machine and a client that may call it. */
import type { ExecutionContext } from 'ava';
import { createEndpointClient, type EndpointClientOptions } from '#src/outgoing/endpoint-client.ts';
import { startAgentServer, type Answer } from '#test/helpers/agent-server.ts';

export const clientFor = (t: ExecutionContext, changes: Partial<EndpointClientOptions> = {}) => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    connectionsPerHost: 4,
    ...changes,
  });
  t.teardown(() => client.close());
  return client;
};

export const serverFor = async (
  t: ExecutionContext,
  answers: Answer | Answer[],
  options: { tls?: boolean } = {},
) => {
  const server = await startAgentServer(answers, options);
  t.teardown(() => server.close());
  return server;
};

export const request = (signal = new AbortController().signal) => ({
  headers: { 'content-type': 'application/json' },
  body: '{"message":"안녕"}',
  signal,
});

export const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};
