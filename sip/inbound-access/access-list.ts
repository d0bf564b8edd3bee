/** Finds the trunk of an INVITE by its source address. */
import { BlockList, isIP } from 'node:net';
import type { Trunk } from '#src/domain/trunk.ts';

export type InviteSource =
  | { trunk: Trunk }
  /** Accounts of an unknown address: the caller must authenticate as one of these trunks. */
  | { accounts: readonly Trunk[] }
  | 'unknown';

const lists = new WeakMap<Trunk, BlockList>();

/** Returns the list of a trunk's addresses, cached by object, because a changed trunk is a new object. */
const listOf = (trunk: Trunk): BlockList => {
  const known = lists.get(trunk);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const block of trunk.inboundAddresses) {
    const [address = '', prefix] = block.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  lists.set(trunk, list);
  return list;
};

/** Normalizes an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) and removes the brackets of a URI. */
const plain = (address: string): string =>
  address.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:(?=\d{1,3}\.)/i, '');

const holds = (trunk: Trunk, address: string): boolean =>
  listOf(trunk).check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const loopback = /^(127\.|::1$)/;

export const callerAt = (
  source: string,
  options: {
    trunks: readonly Trunk[];
    /** The trunk of the configuration with the addresses of its host. */
    configured: { trunk: Trunk; addresses: ReadonlySet<string> } | null;
  },
): InviteSource => {
  const address = plain(source);
  if (isIP(address) === 0) return 'unknown';
  const { trunks, configured } = options;
  const neighbours = trunks.filter((trunk) => holds(trunk, address));
  const trusted = neighbours.find(({ inboundAuth }) => inboundAuth === 'none');
  if (trusted !== undefined) return { trunk: trusted };
  if (configured?.addresses.has(address) === true) return { trunk: configured.trunk };

  const authenticating = trunks.filter(({ inboundAuth }) => inboundAuth === 'digest');
  const accounts = authenticating.filter(
    (trunk) => neighbours.includes(trunk) || trunk.inboundAddresses.length === 0,
  );
  if (accounts.length > 0) return { accounts };

  // Without any inbound trunk, programs on this machine may call, so that the gateway can be tried out.
  const nobodyIsKnown =
    authenticating.length === 0 && trunks.every((trunk) => trunk.inboundAddresses.length === 0);
  if (configured !== null && nobodyIsKnown && loopback.test(address)) return { trunk: configured.trunk };
  return 'unknown';
};
