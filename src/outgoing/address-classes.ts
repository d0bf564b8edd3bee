/**
 * Classifies IP addresses by RFC 6890 and the IANA registries of special-purpose addresses. All code that must not
 * reach internal addresses uses these classes: requests over HTTP (`target-guard.ts`) and SIP of trunks
 * (`trunk-addresses.ts`).
 */
import { BlockList, isIP } from 'node:net';

/** Creates a list of subnets and single addresses. */
export const blockList = (...subnets: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(prefix), family);
  }
  return list;
};

/**
 * Whether the list contains the address. An IPv4 address that is mapped to IPv6 (`::ffff:10.0.0.1`) is in the blocks of
 * IPv4.
 */
export const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

const loopback = ['127.0.0.0/8', '::1/128'];
const linkLocal = ['169.254.0.0/16', 'fe80::/10'];
const privateNetworks = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];
/** "This network", multicast, reserved and broadcast addresses: never a server. */
const noServer = ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8'];

const specialIpv4 = blockList(
  ...[...loopback, ...linkLocal, ...privateNetworks, ...noServer].filter((subnet) => !subnet.includes(':')),
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
);

/**
 * Global unicast addresses. Every IPv6 address outside this range is special: unspecified, loopback, link-local, unique
 * local, multicast, IPv4-mapped, NAT64 … (RFC 4291, section 2.4).
 */
const globalIpv6 = blockList('2000::/3');

/** Special addresses inside the global range: Teredo and its neighbours, documentation, 6to4. */
const specialIpv6 = blockList('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

export const isPublic = (address: string): boolean =>
  isIP(address) === 6
    ? contains(globalIpv6, address) && !contains(specialIpv6, address)
    : isIP(address) === 4 && !contains(specialIpv4, address);

const loopbackBlocks = blockList(...loopback);

/**
 * Whether the address is a loopback address. Mapped forms (`::ffff:127.0.0.1`) are not, because they are not written by
 * accident.
 */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && !/^::ffff:/i.test(address) && contains(loopbackBlocks, address);

/** Names that always mean the local machine (RFC 6761, section 6.3). */
export const namesLoopback = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/** Blocks that an operator may write by name. */
export const namedSubnets = { loopback, private: privateNetworks } as const;

/** Blocks that are allowed only if the operator lists them: for example, cloud metadata services are link-local. */
export const unusualBlocks = blockList(...linkLocal, ...noServer);
