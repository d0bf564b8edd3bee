/**
 * Which addresses the gateway may send requests to (guides/design/agents.md, "Targets"). URLs come from customers, so
 * without a guard the gateway could be made to call what only it can reach. Form and literal addresses are checked when
 * a URL is saved (`endpoint-url.ts`); what a name resolves to is checked here, on the very address that is then
 * connected to, so that a name that changes its answer between check and use gains nothing.
 */
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { EndpointFailure } from './endpoint-failure.ts';

export type TargetRules = {
  /** Host names or addresses that are reached over https wherever they are; lower case. */
  allowedHosts: readonly string[];
  /** Whether the gateway's own machine may be reached, then also over plain http. */
  allowLoopback: boolean;
  /** For servers of the operator's own choice: nothing is refused. */
  anywhere?: boolean;
};

const blockList = (...subnets: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
};

const contains = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** RFC 6890 and the IANA registry of special-purpose IPv4 addresses. */
const specialIpv4 = blockList(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/**
 * Everything outside of it is special: unspecified, loopback, link-local, unique local, multicast, IPv4-mapped, NAT64 …
 * (RFC 4291, section 2.4).
 */
const globalIpv6 = blockList('2000::/3');

/** Inside the global range and still special: Teredo and its neighbours, documentation, 6to4. */
const specialIpv6 = blockList('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

const isPublic = (address: string): boolean =>
  isIP(address) === 6
    ? contains(globalIpv6, address) && !contains(specialIpv6, address)
    : isIP(address) === 4 && !contains(specialIpv4, address);

const loopback = blockList('127.0.0.0/8', '::1/128');

/** A mapped form (`::ffff:127.0.0.1`) is none: nobody writes it by chance. */
const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && !/^::ffff:/i.test(address) && contains(loopback, address);

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
