/** Clients for customers' servers, within the operator's rules. */
import { lookup } from 'node:dns/promises';
import { agentTimes, outgoingLimits } from '#config/policy.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { createNameServerQuery, createSystemQuery } from '#src/outgoing/query-name-servers.ts';
import { createEndpointClients, type EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { openHostsFile } from '#src/outgoing/hosts-file.ts';
import { createNameResolver } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { plainHost } from '#src/outgoing/target-guard.ts';
import { createTrunkAddresses, type TrunkAddresses } from '#src/outgoing/trunk-addresses.ts';
import { readAgentCa } from '#src/start/agent-ca.ts';
import type { Environment, Runtime } from './runtime.ts';

/** One client for each purpose, so that one purpose does not use up the permits of another. */
export type Outgoing = {
  /** Client for agents of calls. */
  agents: EndpointClients;
  /** Client for handshakes of callers. */
  handshakes: EndpointClients;
  /** Client for trials of agents and endpoints. */
  trials: EndpointClients;
  /** Client for event receivers. */
  receivers: EndpointClients;
  /** Allowed addresses of trunks. */
  trunkAddresses: TrunkAddresses;
  /** Resolves to a sentence about why a URL cannot be saved; `undefined` if it can be saved. */
  urlProblem(url: string): Promise<string | undefined>;
};

/** Time limit of the DNS look-up in milliseconds. A name that is not resolved by then is saved without the check. */
const trunkLookUpMs = 2_000;

/** Creates the clients. Throws a StartError if the operator's certificate file cannot be used. */
export const startOutgoing = async ({
  config,
  clock,
  environment,
  started,
}: Pick<Runtime, 'config' | 'clock' | 'started'> & {
  environment: Pick<Environment, 'openDispatcher'>;
}): Promise<Outgoing> => {
  const { maxBodyBytes, requests, lookUps, names: nameLimits } = outgoingLimits;
  const { agentAllowedHosts: allowedHosts, nameServers } = config;
  const rules = { allowedHosts, allowLoopback: config.agentAllowLoopback };
  const trusted = new Set(allowedHosts.map(plainHost));
  const ca = await readAgentCa(config.agentCaFile);
  const names = createNameResolver({
    queryNameServers: createNameServerQuery({ clock, nameServers }),
    querySystem: createSystemQuery(),
    isTrusted: (name) => trusted.has(name),
    hostsFile: openHostsFile(),
    permits: createPermits(lookUps),
    limits: nameLimits,
    clock,
  });
  const clientsFor = (requestsAtOnce: number): EndpointClients =>
    createEndpointClients({
      rules,
      names,
      connectMs: agentTimes.connectMs,
      maxBodyBytes,
      requestsAtOnce,
      openDispatcher: environment.openDispatcher,
      ...(ca === undefined ? {} : { ca }),
    });
  const clients = {
    agents: clientsFor(requests.agentsPerCall * config.maxCalls),
    handshakes: clientsFor(requests.handshakes),
    trials: clientsFor(requests.trials),
    receivers: clientsFor(requests.receivers),
  };
  started.defer(async () => {
    await Promise.all(Object.values(clients).map((each) => each.close()));
  });
  const lookUp = async (name: string): Promise<string[]> => {
    const found = await withTimeout(clock, trunkLookUpMs, () => lookup(name, { all: true }));
    return found.map(({ address }) => address);
  };
  const trunkAddresses = createTrunkAddresses(config.trunkAddresses, lookUp);
  return { ...clients, trunkAddresses, urlProblem: async (url) => endpointUrlProblem(url, rules) };
};
