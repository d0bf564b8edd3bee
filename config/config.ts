/** Environment → one frozen, checked Config. Every setting is documented in the README's table. */
import { resolve } from 'node:path';
import { z } from 'zod';

/** A setting that stops the start; its message is one line that names the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine(
      (value) => value >= minimum && value <= maximum,
      `must be a whole number from ${minimum} to ${maximum}`,
    );

const yesOrNo = z
  .enum(['0', '1', 'true', 'false'], 'must be 1 or 0')
  .transform((value) => value === '1' || value === 'true');

/** A host, with or without a port from 1 to 65535. */
const address = (message: string) =>
  z
    .string()
    .regex(/^[0-9A-Za-z.-]+(:\d{1,5})?$/, message)
    .refine((text) => {
      const port = Number(text.split(':')[1] ?? 1);
      return port >= 1 && port <= 65_535;
    }, message);

const hostAndPort = (defaultPort: number) =>
  address('must be a host, or host:port').transform((text) => {
    const [host = '', port] = text.split(':');
    return { host, port: port === undefined ? defaultPort : Number(port) };
  });

/** Anything else is found out when it is connected to. */
const isDatabaseUrl = (text: string): boolean => {
  try {
    const { protocol, pathname } = new URL(text);
    decodeURIComponent(pathname);
    return protocol === 'postgresql:' || protocol === 'postgres:';
  } catch {
    return false;
  }
};

const hostList = z.string().transform((text) =>
  text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== ''),
);

const settings = z.object({
  GW_PORT: wholeNumber(0, 65_535).default(8080),
  GW_HOST: z
    .string()
    .regex(/^[0-9a-zA-Z.:-]+$/, 'must be an address or a host name')
    .default('127.0.0.1'),
  GW_DATA_DIR: z.string().default('.data'),
  GW_DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, 'must look like postgresql://user:password@host:5432/database')
    .optional(),
  GW_DATABASE_POOL: wholeNumber(2, 200).default(10),
  GW_LINES: z.enum(['simulator', 'drachtio'], 'must be simulator or drachtio').default('simulator'),
  GW_MASTER_KEY: z
    .string()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === 32, 'must be 32 bytes in base64 (make one with: openssl rand -base64 32)')
    .optional(),
  GW_OLD_MASTER_KEYS: z
    .string()
    .transform((text) => text.split(',').map((key) => Buffer.from(key.trim(), 'base64')))
    .refine(
      (keys) => keys.every((key) => key.length === 32),
      'must be 32-byte keys in base64, separated by commas',
    )
    .default([]),
  GW_AGENT_CA_FILE: z.string().optional(),
  GW_AGENT_ALLOWED_HOSTS: hostList.default([]),
  GW_AGENT_ALLOW_LOOPBACK: yesOrNo.optional(),
  GW_SIMULATOR_SPEED: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number from 0.1 to 1000')
    .transform(Number)
    .refine((speed) => speed >= 0.1 && speed <= 1000, 'must be a number from 0.1 to 1000')
    .default(1),
  GW_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/, 'must be a two-letter country code such as KR')
    .default('KR'),
  GW_NODE: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores')
    .default('gateway'),
  GW_MAX_CALLS: wholeNumber(1, 100_000).default(5_000),
  GW_RATE_LIMIT: wholeNumber(0, 10_000_000).default(6_000),
  GW_DRAIN_SEC: wholeNumber(0, 3_600).default(30),
  GW_DRACHTIO: hostAndPort(9022).default({ host: '127.0.0.1', port: 9022 }),
  GW_DRACHTIO_SECRET: z.string().default('cymru'),
  GW_FREESWITCH: hostAndPort(8021).default({ host: '127.0.0.1', port: 8021 }),
  GW_FREESWITCH_SECRET: z.string().default('ClueCon'),
  GW_TRUNK: address('must be the host, or host:port, of a SIP trunk').optional(),
  GW_TRUNK_NUMBERS: z.enum(['domestic', 'e164'], 'must be domestic or e164').default('domestic'),
  GW_MEDIA_HOST: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){3}$/, 'must be an IPv4 address of this machine')
    .default('127.0.0.1'),
  GW_MEDIA_PORT: wholeNumber(0, 65_535).default(0),
  GW_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  GW_LOG_FORMAT: z.enum(['pretty', 'json'], 'must be pretty or json').optional(),
});

const names: ReadonlySet<string> = new Set(Object.keys(settings.shape));

/** Values that are never repeated in a message. */
const secret: ReadonlySet<string> = new Set([
  'GW_DATABASE_URL',
  'GW_MASTER_KEY',
  'GW_OLD_MASTER_KEYS',
  'GW_DRACHTIO_SECRET',
  'GW_FREESWITCH_SECRET',
]);

/** Real lines: SIP by drachtio-server, sound by FreeSWITCH. */
export type DrachtioConfig = Readonly<{
  drachtio: { host: string; port: number; secret: string };
  freeSwitch: { host: string; port: number; secret: string };
  /** Where calls go: `host` or `host:port`. */
  trunkAddress: string;
  /** How numbers are written to the trunk. */
  trunkNumbers: 'domestic' | 'e164';
  /** Where FreeSWITCH reaches this gateway; port 0 takes a free one. */
  media: { host: string; port: number };
}>;

export type Config = Readonly<{
  port: number;
  host: string;
  /** Absolute. */
  dataFolder: string;
  /** `null` starts the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
  databasePool: number;
  lines: 'simulator' | 'drachtio';
  /** `null` with the simulated lines. */
  realLines: DrachtioConfig | null;
  /** `null`: made and kept in the data folder (embedded start only). */
  masterKey: Buffer | null;
  oldMasterKeys: readonly Buffer[];
  agentCaFile: string | null;
  agentAllowedHosts: readonly string[];
  agentAllowLoopback: boolean;
  simulatorSpeed: number;
  country: string;
  /** Name of this gateway among those that share a database. */
  node: string;
  maxCalls: number;
  /** Requests a minute for one key; 0 switches the limit off. */
  rateLimit: number;
  drainSec: number;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logFormat: 'pretty' | 'json';
  /** Names that begin with GW_ and are no setting: mistyped, most likely. */
  unknownNames: readonly string[];
}>;

const problemOf = (issue: z.core.$ZodIssue, environment: NodeJS.ProcessEnv): string => {
  const name = String(issue.path[0]);
  const value = environment[name] ?? '';
  return secret.has(name)
    ? `${name} ${issue.message}`
    : `${name} ${issue.message} (it is ${JSON.stringify(value.slice(0, 100))})`;
};

const realLinesOf = (values: z.infer<typeof settings>, trunkAddress: string): DrachtioConfig => ({
  drachtio: { ...values.GW_DRACHTIO, secret: values.GW_DRACHTIO_SECRET },
  freeSwitch: { ...values.GW_FREESWITCH, secret: values.GW_FREESWITCH_SECRET },
  trunkAddress,
  trunkNumbers: values.GW_TRUNK_NUMBERS,
  media: { host: values.GW_MEDIA_HOST, port: values.GW_MEDIA_PORT },
});

/** An empty variable counts as absent. Throws a ConfigError whose message names the first wrong setting. */
export const readConfig = (environment: NodeJS.ProcessEnv, hasTerminal: boolean): Config => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith('GW_') && value !== ''),
  );
  const parsed = settings.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(issue === undefined ? 'The settings are not valid' : problemOf(issue, environment));
  }
  const values = parsed.data;
  const databaseUrl = values.GW_DATABASE_URL ?? null;
  if (databaseUrl !== null && values.GW_MASTER_KEY === undefined)
    throw new ConfigError(
      'GW_MASTER_KEY is required with GW_DATABASE_URL: 32 bytes in base64 (make one with: openssl rand -base64 32)',
    );
  if (values.GW_LINES === 'drachtio' && values.GW_TRUNK === undefined)
    throw new ConfigError(
      'GW_TRUNK is required with GW_LINES=drachtio: the host:port that outbound calls go to',
    );
  return Object.freeze({
    port: values.GW_PORT,
    host: values.GW_HOST,
    dataFolder: resolve(values.GW_DATA_DIR),
    databaseUrl,
    databasePool: values.GW_DATABASE_POOL,
    lines: values.GW_LINES,
    realLines:
      values.GW_LINES === 'simulator' || values.GW_TRUNK === undefined
        ? null
        : realLinesOf(values, values.GW_TRUNK),
    masterKey: values.GW_MASTER_KEY ?? null,
    oldMasterKeys: values.GW_OLD_MASTER_KEYS,
    agentCaFile: values.GW_AGENT_CA_FILE ?? null,
    agentAllowedHosts: values.GW_AGENT_ALLOWED_HOSTS,
    agentAllowLoopback: values.GW_AGENT_ALLOW_LOOPBACK ?? databaseUrl === null,
    simulatorSpeed: values.GW_SIMULATOR_SPEED,
    country: values.GW_COUNTRY,
    node: values.GW_NODE,
    maxCalls: values.GW_MAX_CALLS,
    rateLimit: values.GW_RATE_LIMIT,
    drainSec: values.GW_DRAIN_SEC,
    logLevel: values.GW_LOG_LEVEL,
    logFormat: values.GW_LOG_FORMAT ?? (hasTerminal ? 'pretty' : 'json'),
    unknownNames: Object.keys(given).filter((name) => !names.has(name)),
  });
};
