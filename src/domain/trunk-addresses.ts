/** Addresses of a trunk and their names. */
import type { Trunk, TrunkAddress } from './trunk.ts';

type Place = Pick<TrunkAddress, 'host' | 'port'>;

/** A trunk without addresses uses its host. */
export const addressesOf = ({
  host,
  port,
  addresses,
}: Pick<Trunk, 'host' | 'port' | 'addresses'>): TrunkAddress[] =>
  addresses.length > 0 ? addresses : [{ host, port, priority: 0, weight: 0, drained: false }];

/** Host in a URI: IPv6 in brackets. */
export const hostInUri = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `host:port`, or the host alone. */
export const addressName = ({ host, port }: Place): string =>
  port === null ? hostInUri(host) : `${hostInUri(host)}:${port}`;

/** Key for an address's calls and cool-downs. */
export const addressKey = ({ id }: Pick<Trunk, 'id'>, address: Place): string =>
  `${id} ${addressName(address)}`;
