/**
 * Decides which addresses trunks may have (guides/design/threats.md, "Addresses of trunks"). Admins of workspaces enter
 * these addresses and could otherwise send SIP to internal servers. A literal address is judged as it is written. A
 * name is resolved when it is saved; later drachtio-server resolves it itself.
 */
import { isIP } from 'node:net';
import {
  blockList,
  contains,
  isPublic,
  namedSubnets,
  namesLoopback,
  unusualBlocks,
} from './address-classes.ts';

export type TrunkAddresses = {
  /** Returns a sentence about why a trunk may not have this host, or undefined. */
  hostProblem(host: string): Promise<string | undefined>;
  /** Whether a trunk with these hosts may be used; names are not resolved here. */
  mayUse(hosts: readonly string[]): boolean;
};

type Blocks = { includes: (address: string) => boolean };

const blocksOf = (words: readonly string[]): Blocks => {
  const subnets = words.flatMap((word) =>
    word === 'loopback' || word === 'private' ? namedSubnets[word] : word === 'public' ? [] : [word],
  );
  const list = blockList(...subnets);
  const hasPublic = words.includes('public');
  return { includes: (address) => contains(list, address) || (hasPublic && isPublic(address)) };
};

const problem =
  'This gateway sends no SIP to this address. Its operator says where trunks may be (GW_TRUNK_ADDRESSES).';

/**
 * Creates the rules for trunk addresses. `rules`: `public`, `private`, `loopback`, addresses and subnets; `!` denies.
 * `rules` is null if the operator set none. `lookUp` returns all addresses of a name and rejects if it has none.
 */
export const createTrunkAddresses = (
  rules: readonly string[] | null,
  lookUp: (name: string) => Promise<readonly string[]>,
): TrunkAddresses => {
  const words = rules ?? [];
  const denied = blocksOf(words.filter((word) => word.startsWith('!')).map((word) => word.slice(1)));
  const allowing = words.filter((word) => !word.startsWith('!'));
  const allowed = blocksOf(allowing);

  const mayReach = (address: string): boolean => {
    if (denied.includes(address)) return false;
    if (allowed.includes(address)) return true;
    return allowing.length === 0 && !contains(unusualBlocks, address);
  };

  /** The address in a literal host; undefined for a name. */
  const addressOf = (host: string): string | undefined => {
    const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    if (isIP(plain) !== 0) return plain;
    return namesLoopback(plain.replace(/\.$/, '')) ? '127.0.0.1' : undefined;
  };

  /** Resolves a name; returns an empty list if the name cannot be resolved now. */
  const addressesOf = async (name: string): Promise<readonly string[]> =>
    rules === null ? [] : lookUp(name).catch(() => []);

  return {
    async hostProblem(host) {
      const known = addressOf(host);
      const addresses = known === undefined ? await addressesOf(host) : [known];
      return addresses.every(mayReach) ? undefined : problem;
    },
    mayUse: (hosts) =>
      hosts.every((host) => {
        const address = addressOf(host);
        return address === undefined || mayReach(address);
      }),
  };
};
