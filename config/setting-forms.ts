/** The forms that settings have: each turns the text of an environment variable into a value, or says what it must be. */
import { isIP } from 'node:net';
import { z } from 'zod';

export const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    );

export const portRange = z
  .string()
  .regex(/^\d{4,5}-\d{4,5}$/, 'must be two ports, such as 30000-39999')
  .transform((text) => {
    const [from = 0, to = 0] = text.split('-').map(Number);
    return { from, to };
  })
  .refine(
    ({ from, to }) => from >= 1_024 && to <= 65_535 && to - from >= 1,
    'must be two ports from 1024 to 65535, the second higher than the first',
  );

export const yesOrNo = z
  .enum(['0', '1', 'true', 'false'], 'must be 1 or 0')
  .transform((value) => value === '1' || value === 'true');

/** A host, with or without a port from 1 to 65535. */
export const address = (message: string) =>
  z
    .string()
    .regex(/^[0-9A-Za-z.-]+(:\d{1,5})?$/, message)
    .refine((text) => {
      const port = Number(text.split(':')[1] ?? 1);
      return port >= 1 && port <= 65_535;
    }, message);

export const hostAndPort = (defaultPort: number) =>
  address('must be a host, or host:port').transform((text) => {
    const [host = '', port] = text.split(':');
    return { host, port: port === undefined ? defaultPort : Number(port) };
  });

/** One or several, separated by commas. */
export const hostAndPortList = (defaultPort: number) => {
  const one = hostAndPort(defaultPort);
  return z
    .string()
    .transform((text) => text.split(',').map((each) => each.trim()))
    .pipe(z.tuple([one], one))
    .refine(
      (all) => new Set(all.map(({ host, port }) => `${host}:${port}`)).size === all.length,
      'must name none twice',
    );
};

/** The same, or the word `none`: there is no such server. */
export const hostAndPortListOrNone = (defaultPort: number) =>
  z.union(
    [z.literal('none').transform((): { host: string; port: number }[] => []), hostAndPortList(defaultPort)],
    {
      error: 'must be a host, or host:port, or several separated by commas, or none',
    },
  );

/** What is before the hosts of a URL, these, and the rest: several are no URL any more, though libpq writes them so. */
const severalHosts = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Anything else is found out when it is connected to. */
export const isDatabaseUrl = (text: string): boolean => {
  const [, before, hosts = '', behind] = severalHosts.exec(text) ?? [];
  try {
    return hosts.split(',').every((host) => {
      const { protocol, pathname } = new URL(`${before}${host}${behind}`);
      decodeURIComponent(pathname);
      return protocol === 'postgresql:' || protocol === 'postgres:';
    });
  } catch {
    return false;
  }
};

export const hostList = z.string().transform((text) =>
  text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== ''),
);

const isSubnet = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
};

/** IP addresses, and subnets such as `10.0.0.0/8`. */
export const subnetList = z
  .string()
  .transform((text) => text.split(',').map((subnet) => subnet.trim()))
  .refine(
    (subnets) => subnets.every(isSubnet),
    'must be IP addresses or subnets such as 10.0.0.0/8, separated by commas',
  );

/** Classes of addresses, addresses and subnets that trunks may have, and behind `!` those that they may not have. */
export const trunkAddressList = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine(
    (words) =>
      words
        .map((word) => word.replace(/^!/, ''))
        .every((word) => ['public', 'private', 'loopback'].includes(word) || isSubnet(word)),
    'must be public, private, loopback, IP addresses or subnets, such as public,10.1.0.0/16,!10.1.0.1, separated by commas',
  );

/** Kinds of numbers, prefixes that are allowed, and behind `!` those that are denied; what a kind is, the start knows. */
export const destinationList = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine(
    (words) => words.every((word) => /^(?:[a-z_]+|!?\+?\d{1,15})$/.test(word)),
    'must be kinds of numbers and prefixes, such as mobile,fixed_line,+4420,!0505, separated by commas',
  );

/** Some of these names, in the operator's order. */
export const choiceOf = <Name extends string>(...names: readonly Name[]) => {
  const message = `must be one or more of ${names.join(', ')}, separated by commas, none twice`;
  return z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(names, message)))
    .refine((chosen) => new Set(chosen).size === chosen.length, message);
};

/** Names of SIP headers of one's own, as the API takes them for a trunk. */
export const sipHeaderList = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine(
    (names) =>
      names.length <= 20 &&
      names.every((name) => /^[Xx]-[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$/.test(name)) &&
      new Set(names.map((name) => name.toLowerCase())).size === names.length,
    'must be up to 20 names of headers such as X-Ticket, separated by commas, none twice',
  );

/** A key that can go into a header as it is. */
export const apiKey = z.string().regex(/^[!-~]+$/, 'must be made of visible ASCII characters');

/** A URL of a server that the operator has chosen. */
export const serverUrl = (...protocols: readonly string[]) => {
  const example = `${protocols[0]}://host/path`;
  return z.string().refine((text) => {
    const url = URL.parse(text);
    return (
      url !== null && protocols.includes(url.protocol.slice(0, -1)) && url.username === '' && url.hash === ''
    );
  }, `must be a URL such as ${example}`);
};

/** Where a store is: without a path, and without encryption on this machine alone. */
export const storeUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    if (url === null || url.origin !== text.replace(/\/$/, '').toLowerCase()) return false;
    return (
      url.protocol === 'https:' ||
      (url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    );
  }, 'must look like https://host or https://host:port; http is for this machine alone')
  .transform((text) => new URL(text).origin);

/** Name servers, separated by commas: a name would need another name server to be found. */
export const nameServerList = z
  .string()
  .transform((text) => text.split(',').map((server) => server.trim()))
  .refine(
    (servers) => servers.every((server) => isIP(server) !== 0 || hasPort(server)),
    'must be one or more addresses, such as 10.0.0.53 or [2001:db8::53]:5353, separated by commas',
  );

/** `address:port`, an IPv6 address in brackets. */
const hasPort = (text: string): boolean => {
  const { address: host = '', port = '' } =
    /^\[?(?<address>[\d.a-f:]+)\]?:(?<port>\d{1,5})$/i.exec(text)?.groups ?? {};
  return isIP(host) === (text.startsWith('[') ? 6 : 4) && Number(port) >= 1 && Number(port) <= 65_535;
};
