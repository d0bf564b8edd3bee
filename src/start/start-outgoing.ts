/** The way to the servers of customers, within what the operator allows. */
import type { Config } from '#config/config.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createAskNameServers, createAskSystem } from '#src/outgoing/ask-name-servers.ts';
import { createEndpointClients, type EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { openHostsFile } from '#src/outgoing/hosts-file.ts';
import { createNameResolver, type NameLimits } from '#src/outgoing/name-resolver.ts';
import { createPermits } from '#src/outgoing/permits.ts';
import { plainHost } from '#src/outgoing/target-guard.ts';
import { readAgentCa } from './agent-ca.ts';

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
  /** A sentence that says why a URL cannot be saved; `undefined` when it can. */
  whyUrlIsRefused(url: string): Promise<string | undefined>;
  /** Closes every connection. */
  close(): Promise<void>;
};

export type OutgoingLimits = {
  connectMs: number;
  maxBodyBytes: number;
  /** At once, over all workspaces, which share them. */
  requests: Readonly<Record<'agentsPerCall' | 'handshakes' | 'trials' | 'receivers', number>>;
  lookUps: number;
  names: NameLimits;
};

/** Throws a StartError when the certificate file of the operator cannot be used. */
export const startOutgoing = async (
  config: Pick<
    Config,
    'agentAllowedHosts' | 'agentAllowLoopback' | 'agentCaFile' | 'maxCalls' | 'nameServers'
  >,
  limits: OutgoingLimits,
  clock: Clock,
): Promise<Outgoing> => {
  const { connectMs, maxBodyBytes, requests } = limits;
  const { agentAllowedHosts: allowedHosts, nameServers } = config;
  const rules = { allowedHosts, allowLoopback: config.agentAllowLoopback };
  const trusted = new Set(allowedHosts.map(plainHost));
  const ca = await readAgentCa(config.agentCaFile);
  const names = createNameResolver({
    askNameServers: createAskNameServers({ clock, nameServers }),
    askSystem: createAskSystem(),
    isTrusted: (name) => trusted.has(name),
    hostsFile: openHostsFile(),
    permits: createPermits(limits.lookUps),
    limits: limits.names,
    clock,
  });
  const clientsFor = (requestsAtOnce: number): EndpointClients =>
    createEndpointClients({
      rules,
      names,
      connectMs,
      maxBodyBytes,
      requestsAtOnce,
      ...(ca === undefined ? {} : { ca }),
    });
  const clients = {
    agents: clientsFor(requests.agentsPerCall * config.maxCalls),
    handshakes: clientsFor(requests.handshakes),
    trials: clientsFor(requests.trials),
    receivers: clientsFor(requests.receivers),
  };
  return {
    ...clients,
    whyUrlIsRefused: async (url) => endpointUrlProblem(url, rules),
    async close() {
      await Promise.all(Object.values(clients).map((each) => each.close()));
    },
  };
};
