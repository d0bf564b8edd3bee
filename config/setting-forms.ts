/** Formats of settings. Each parses the text of an environment variable, or reports the required format. */
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

/** A host with an optional port from 1 to 65535. */
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

/** A `host:port`, or the word `none` for no server. */
export const hostAndPortOrNone = (defaultPort: number) =>
  z.union([z.literal('none').transform((): null => null), hostAndPort(defaultPort)], {
    error: 'must be a host, or host:port, or none',
  });

/** One or several `host:port`, separated by commas. */
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

/** One or several `host:port`, separated by commas, or the word `none` for no server. */
export const hostAndPortListOrNone = (defaultPort: number) =>
  z.union(
    [z.literal('none').transform((): { host: string; port: number }[] => []), hostAndPortList(defaultPort)],
    {
      error: 'must be a host, or host:port, or several separated by commas, or none',
    },
  );

/**
 * Matches a URL with several hosts: the part before its hosts, the hosts, and the rest. libpq allows several hosts,
 * which is not a valid URL.
 */
const severalHosts = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Checks only the form of the URL. Wrong hosts or credentials are detected when connecting. */
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

/** Names of models, which may contain slashes and colons. */
export const modelList = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((model) => model.trim()))])
  .refine(
    (models) => models.every((model) => model !== '' && model.length <= 200),
    'must be names of models, separated by commas',
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

/** Allowed address classes, addresses and subnets of trunks. Entries with the prefix `!` are denied. */
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

/**
 * Kinds of numbers and allowed prefixes. Entries with the prefix `!` are denied. The kinds are validated at the start.
 */
export const destinationList = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine(
    (words) => words.every((word) => /^(?:[a-z_]+|!?\+?\d{1,15})$/.test(word)),
    'must be kinds of numbers and prefixes, such as mobile,fixed_line,+4420,!0505, separated by commas',
  );

/** Some of the given names, in the operator's order. */
export const choiceOf = <Name extends string>(...names: readonly Name[]) => {
  const message = `must be one or more of ${names.join(', ')}, separated by commas, none twice`;
  return z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(names, message)))
    .refine((chosen) => new Set(chosen).size === chosen.length, message);
};

/** Names of custom SIP headers in the API's format for a trunk. */
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

/** A key that can be sent in a header without encoding. */
export const apiKey = z.string().regex(/^[!-~]+$/, 'must be made of visible ASCII characters');

/** URL of a server chosen by the operator. */
export const serverUrl = (...protocols: readonly string[]) => {
  const example = `${protocols[0]}://host/path`;
  return z.string().refine((text) => {
    const url = URL.parse(text);
    return (
      url !== null && protocols.includes(url.protocol.slice(0, -1)) && url.username === '' && url.hash === ''
    );
  }, `must be a URL such as ${example}`);
};

/** URL of a store, without a path. An unencrypted store must be on this machine. */
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

/**
 * DNS servers, separated by commas. Only addresses are allowed, because a name would need another DNS server to be
 * resolved.
 */
export const nameServerList = z
  .string()
  .transform((text) => text.split(',').map((server) => server.trim()))
  .refine(
    (servers) => servers.every((server) => isIP(server) !== 0 || hasPort(server)),
    'must be one or more addresses, such as 10.0.0.53 or [2001:db8::53]:5353, separated by commas',
  );

/** Whether the text is `address:port`, where an IPv6 address is in brackets. */
const hasPort = (text: string): boolean => {
  const { address: host = '', port = '' } =
    /^\[?(?<address>[\d.a-f:]+)\]?:(?<port>\d{1,5})$/i.exec(text)?.groups ?? {};
  return isIP(host) === (text.startsWith('[') ? 6 : 4) && Number(port) >= 1 && Number(port) <= 65_535;
};
