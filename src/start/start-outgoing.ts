/** The way to the servers of customers, within what the operator allows. */
import { lookup } from 'node:dns/promises';
import { agentTimes, outgoingLimits } from '#config/policy.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { createAskNameServers, createAskSystem } from '#src/outgoing/ask-name-servers.ts';
import { createEndpointClients, type EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { openHostsFile } from '#src/outgoing/hosts-file.ts';
import { createNameResolver } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { plainHost } from '#src/outgoing/target-guard.ts';
import { createTrunkAddresses, type TrunkAddresses } from '#src/outgoing/trunk-addresses.ts';
import { readAgentCa } from './agent-ca.ts';
import type { Foundation } from './foundation.ts';
import type { Surroundings } from './surroundings.ts';

/** Clients of their own for each kind of request, so that none takes the permits of another. */
export type Outgoing = {
  /** For the agents of calls. */
  agents: EndpointClients;
  /** For the handshakes of callers. */
  handshakes: EndpointClients;
  /** For agents and endpoints that are tried by hand. */
  trials: EndpointClients;
  /** For receivers of events. */
  receivers: EndpointClients;
  /** Where trunks of workspaces may be. */
  trunkAddresses: TrunkAddresses;
  /** A sentence that says why a URL cannot be saved; `undefined` when it can. */
  urlProblem(url: string): Promise<string | undefined>;
};

/** A name of a trunk that is not known by then is saved without a look at its addresses. */
const trunkLookUpMs = 2_000;

/** Throws a StartError when the certificate file of the operator cannot be used. */
export const startOutgoing = async ({
  config,
  clock,
  surroundings,
  started,
}: Pick<Foundation, 'config' | 'clock' | 'started'> & {
  surroundings: Pick<Surroundings, 'openDispatcher'>;
}): Promise<Outgoing> => {
  const { maxBodyBytes, requests, lookUps, names: nameLimits } = outgoingLimits;
  const { agentAllowedHosts: allowedHosts, nameServers } = config;
  const rules = { allowedHosts, allowLoopback: config.agentAllowLoopback };
  const trusted = new Set(allowedHosts.map(plainHost));
  const ca = await readAgentCa(config.agentCaFile);
  const names = createNameResolver({
    askNameServers: createAskNameServers({ clock, nameServers }),
    askSystem: createAskSystem(),
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
      openDispatcher: surroundings.openDispatcher,
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
