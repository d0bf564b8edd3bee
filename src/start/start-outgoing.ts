/** The way to the servers of customers, within what the operator allows. */
import type { Config } from '#config/config.ts';
import { createEndpointClient, type EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { endpointUrlProblem } from '#src/outgoing/endpoint-url.ts';
import { readAgentCa } from './agent-ca.ts';

export type Outgoing = {
  /** To agents and handshakes. */
  agents: EndpointClient;
  /** To receivers of events: a client of its own, so that neither takes the other's connections. */
  receivers: EndpointClient;
  /** A sentence that says why a URL cannot be saved; `undefined` when it can. */
  whyUrlIsRefused(url: string): Promise<string | undefined>;
  /** Closes every connection. */
  close(): Promise<void>;
};

/** Throws a StartError when the certificate file of the operator cannot be used. */
export const startOutgoing = async (
  config: Pick<Config, 'agentAllowedHosts' | 'agentAllowLoopback' | 'agentCaFile'>,
  limits: { connectMs: number; maxBodyBytes: number; agentConnections: number; receiverConnections: number },
): Promise<Outgoing> => {
  const { connectMs, maxBodyBytes, agentConnections, receiverConnections } = limits;
  const rules = { allowedHosts: config.agentAllowedHosts, allowLoopback: config.agentAllowLoopback };
  const ca = await readAgentCa(config.agentCaFile);
  const clientWith = (connectionsPerHost: number): EndpointClient =>
    createEndpointClient({
      rules,
      connectMs,
      maxBodyBytes,
      connectionsPerHost,
      ...(ca === undefined ? {} : { ca }),
    });
  const agents = clientWith(agentConnections);
  const receivers = clientWith(receiverConnections);
  return {
    agents,
    receivers,
    whyUrlIsRefused: async (url) => endpointUrlProblem(url, rules),
    async close() {
      await Promise.all([agents.close(), receivers.close()]);
    },
  };
};
