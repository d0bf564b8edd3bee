/**
 * A name that has a public address at the first look-up, and the gateway's own machine afterwards. Run where 11.0.0.1
 * is an address of the machine; prints the connected address.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createNameServerQuery } from '#src/outgoing/query-name-servers.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { createNameResolver } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { outgoingLimits } from '#config/policy.ts';
import { systemClock } from '#src/clocks.ts';
import { startNameServer } from '#test/helpers/name-server.ts';

const name = 'agent.example.com';
const addresses = { checked: '11.0.0.1', own: '127.0.0.1' };

const connected: Record<keyof typeof addresses, number> = { checked: 0, own: 0 };
for (const place of ['checked', 'own'] as const) {
  const server = createServer((socket) => {
    connected[place] += 1;
    socket.destroy();
  });
  server.listen(443, addresses[place]);
  await once(server, 'listening');
}

const nameServer = await startNameServer({ [name]: { ipv4: [addresses.checked], ttlSec: 1 } });
let laterMs = 0;
const names = createNameResolver({
  queryNameServers: createNameServerQuery({ clock: systemClock, nameServers: [nameServer.address] }),
  querySystem: () => Promise.reject(new Error('The system is asked only for names that the operator allows')),
  isTrusted: () => false,
  hostsFile: () => [],
  permits: createPermits(10),
  limits: { ...outgoingLimits.names, lookUpMs: 60_000 },
  clock: { ...systemClock, now: () => systemClock.now() + laterMs },
});
const client = createEndpointClient({
  rules: { allowedHosts: [], allowLoopback: false },
  connectMs: 60_000,
  maxBodyBytes: 1_000,
  connectionsPerHost: 1,
  lookup: (host, options, callback) => {
    names.lookupFor('one')(host, options, (...found) => {
      // The name changes before the connection is made.
      nameServer.zone[name] = { ipv4: [addresses.own], ttlSec: 1 };
      callback(...found);
    });
  },
});

const failureOf = async (): Promise<string> => {
  const { signal } = new AbortController();
  try {
    await client.post(`https://${name}/`, { headers: {}, body: '{}', signal });
    return 'none';
  } catch (error) {
    if (error instanceof EndpointFailure) return error.failure;
    throw error;
  }
};

const first = { failure: await failureOf(), ...connected };
laterMs = outgoingLimits.names.longestTtlSec * 1000;
const later = { failure: await failureOf(), ...connected };
process.stdout.write(JSON.stringify({ first, later }));
process.exit();
