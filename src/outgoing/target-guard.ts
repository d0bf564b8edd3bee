/**
 * Decides which addresses the gateway may call (guides/design/agents.md, "Targets"). URLs come from customers, who
 * could otherwise reach servers that only the gateway can reach. `endpoint-url.ts` checks form and literal addresses
 * when a URL is saved. This module checks the address that is connected to, so a name that changes between check and
 * use gains nothing.
 */
import type { LookupFunction } from 'node:net';
import { isLoopback, isPublic } from './address-classes.ts';
import { EndpointFailure } from './endpoint-failure.ts';

export type TargetRules = {
  /** Host names or addresses that may be called over https wherever they are; lower case. */
  allowedHosts: readonly string[];
  /** Whether the gateway's machine may be called, then also over plain http. */
  allowLoopback: boolean;
  /** For servers that the operator chose: everything is allowed. */
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

/** A DNS look-up that fails if any address of the host is forbidden. */
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
