/**
 * Decides which addresses the gateway may call (guides/design/agents.md, "Targets"). Customers enter URLs and could
 * otherwise reach servers that only the gateway can reach. `endpoint-url.ts` checks the form of a URL and a literal
 * address when a URL is saved. This module checks the address to which a connection is opened, so changing a name's
 * address between check and use has no effect.
 */
import type { LookupFunction } from 'node:net';
import { isLoopback, isPublic } from './address-classes.ts';
import { EndpointFailure } from './endpoint-failure.ts';

export type TargetRules = {
  /** Host names or addresses, in lower case, that may be called over https even if they are internal. */
  allowedHosts: readonly string[];
  /** Whether the gateway's own machine may be called. If so, plain http is allowed too. */
  allowLoopback: boolean;
  /** Allows every target, for servers that the operator chose. */
  anywhere?: boolean;
};

/** Normalizes a host: lower case, no brackets around IPv6, no trailing dot. */
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

/** Wraps a DNS look-up so that it fails if any address of the host is forbidden. */
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
