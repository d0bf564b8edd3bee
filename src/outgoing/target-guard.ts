/**
 * Which addresses the gateway may send requests to (guides/design/agents.md, "Targets"). URLs come from customers, so
 * without a guard the gateway could be made to call what only it can reach. Form and literal addresses are checked when
 * a URL is saved (`endpoint-url.ts`); what a name resolves to is checked here, on the very address that is then
 * connected to, so that a name that changes its answer between check and use gains nothing.
 */
import type { LookupFunction } from 'node:net';
import { isLoopback, isPublic } from './address-classes.ts';
import { EndpointFailure } from './endpoint-failure.ts';

export type TargetRules = {
  /** Host names or addresses that are reached over https wherever they are; lower case. */
  allowedHosts: readonly string[];
  /** Whether the gateway's own machine may be reached, then also over plain http. */
  allowLoopback: boolean;
  /** For servers of the operator's own choice: nothing is refused. */
  anywhere?: boolean;
};

/** As hosts are compared: lower case, no brackets around an IPv6 address, no dot of the DNS root. */
export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

/** Whether a connection to this address, for this host, may be opened. */
export const mayConnect = (
  target: { host: string; address: string; secure: boolean },
  { allowedHosts, allowLoopback, anywhere = false }: TargetRules,
): boolean => {
  if (anywhere) return true;
  if (allowLoopback && isLoopback(target.address)) return true;
  if (!target.secure) return false;
  return isPublic(target.address) || allowedHosts.some((host) => plainHost(host) === plainHost(target.host));
};

export const targetRefused = (): EndpointFailure =>
  new EndpointFailure('target_refused', 'the host is at an address that may not be called');

/** A DNS lookup that fails when any of the host's addresses is refused. */
export const guardLookup =
  (lookup: LookupFunction, rules: TargetRules, secure: boolean): LookupFunction =>
  (host, options, callback) => {
    lookup(host, options, (error, found, family) => {
      if (error !== null) return callback(error, found, family);
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
      const mayUse = addresses.every((address) => mayConnect({ host, address, secure }, rules));
      return mayUse ? callback(null, found, family) : callback(targetRefused(), []);
    });
  };
