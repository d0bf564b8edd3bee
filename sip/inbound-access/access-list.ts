/**
 * Finds the trunk of an INVITE by its source address. Workspaces may have the same provider, so several trunks may have
 * the address; the called number then decides.
 */
import { BlockList, isIP } from 'node:net';
import type { Trunk } from '#src/domain/trunk.ts';
import type { NumberOwner } from '../trunks/directory.ts';

/** Trunks of an address: those that are trusted without credentials, and those that must authenticate. */
export type InviteSource = { trusted: readonly Trunk[]; accounts: readonly Trunk[] } | 'unknown';

export type Caller =
  | { trunk: Trunk }
  /** The caller must authenticate as one of these trunks. */
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

export const sourceAt = (
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
  const trusted = neighbours.filter(({ inboundAuth }) => inboundAuth === 'none');
  if (configured?.addresses.has(address) === true) trusted.push(configured.trunk);
  const authenticating = trunks.filter(({ inboundAuth }) => inboundAuth === 'digest');
  if (trusted.length > 0)
    return { trusted, accounts: authenticating.filter((trunk) => neighbours.includes(trunk)) };

  const accounts = authenticating.filter(
    (trunk) => neighbours.includes(trunk) || trunk.inboundAddresses.length === 0,
  );
  if (accounts.length > 0) return { trusted, accounts };

  // Without any inbound trunk, programs on this machine may call, so that the gateway can be tried out.
  const nobodyIsKnown =
    authenticating.length === 0 && trunks.every((trunk) => trunk.inboundAddresses.length === 0);
  if (configured !== null && nobodyIsKnown && loopback.test(address))
    return { trusted: [configured.trunk], accounts: [] };
  return 'unknown';
};

/** Whether trunks of several workspaces share the address, so that the trunk depends on the called number. */
export const isShared = (source: InviteSource): source is Exclude<InviteSource, 'unknown'> => {
  if (source === 'unknown' || source.trusted.length === 0) return false;
  const [first, ...others] = [...source.trusted, ...source.accounts];
  return others.some(({ workspaceId }) => workspaceId !== first?.workspaceId);
};

/**
 * Selects the trunk of a caller: one of the workspace that has the called number, or else one of all workspaces. `owner`
 * is the owner of the called number; `null` if it is unknown or does not matter.
 */
export const callerFrom = (source: InviteSource, owner: NumberOwner | null): Caller => {
  if (source === 'unknown') return 'unknown';
  const { trusted, accounts } = source;
  const isOwners = ({ workspaceId }: Trunk): boolean => owner !== null && workspaceId === owner.workspaceId;
  const ofOwner = trusted.filter(isOwners);
  const trunk =
    ofOwner.find(({ id }) => id === owner?.trunkId) ??
    ofOwner[0] ??
    trusted.find(({ workspaceId }) => workspaceId === null);
  if (trunk !== undefined) return { trunk };
  const accountsOfOwner = accounts.filter(isOwners);
  const [first] = trusted;
  if (first === undefined) return { accounts };
  return accountsOfOwner.length > 0 ? { accounts: accountsOfOwner } : { trunk: first };
};
