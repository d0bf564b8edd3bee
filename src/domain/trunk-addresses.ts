/** The addresses of a trunk, and what they are called. */
import type { Trunk, TrunkAddress } from './trunk.ts';

type Place = Pick<TrunkAddress, 'host' | 'port'>;

/** A trunk without any is at its host. */
export const addressesOf = ({
  host,
  port,
  addresses,
}: Pick<Trunk, 'host' | 'port' | 'addresses'>): TrunkAddress[] =>
  addresses.length > 0 ? addresses : [{ host, port, priority: 0, weight: 0, drained: false }];

/** As a host is written in a URI: an IPv6 address within brackets. */
export const hostInUri = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`, or the host alone. */
export const addressName = ({ host, port }: Place): string =>
  port === null ? hostInUri(host) : `${hostInUri(host)}:${port}`;

/** By which the calls and the rest of an address are counted. */
export const addressKey = ({ id }: Pick<Trunk, 'id'>, address: Place): string =>
  `${id} ${addressName(address)}`;
