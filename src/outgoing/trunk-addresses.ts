/**
 * Which addresses trunks may have (guides/design/threats.md, "Addresses of trunks"). Hosts of trunks come from the admins
 * of workspaces: without a rule they could have SIP sent to what only the gateway can reach. Addresses are judged as they
 * are written. A name is looked up when it is saved; later drachtio-server looks it up, by itself.
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
  /** A sentence that says why a trunk may not have this host; undefined when it may. */
  hostProblem(host: string): Promise<string | undefined>;
  /** Whether a trunk may be used that has these hosts; of names nothing is known here. */
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
 * `rules`: `public`, `private`, `loopback`, addresses and subnets; behind `!` what is denied. Null where the operator has
 * said nothing. `lookUp`: all addresses of a name; rejects where it has none.
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

  /** Of a host that says so itself; undefined for a name. */
  const addressOf = (host: string): string | undefined => {
    const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    if (isIP(plain) !== 0) return plain;
    return namesLoopback(plain.replace(/\.$/, '')) ? '127.0.0.1' : undefined;
  };

  /** None of a name that cannot be looked up now: it may have some later. */
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
