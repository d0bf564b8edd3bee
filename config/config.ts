/**
 * Reads the environment into a validated, immutable Config. The table in guides/settings.md documents every setting.
 */
import { resolve } from 'node:path';
import type { z } from 'zod';
import type { NatsConfig } from './nats-servers.ts';
import { ConfigError, givenSettings, parseSettings } from './parse-settings.ts';
import { databaseLimits } from './policy.ts';
import { serverSettings } from './server-settings.ts';
import { settings } from './settings.ts';
import { recordingsOf, type RecordingsConfig } from './recordings-config.ts';
import { speechOf, type SpeechConfig } from './speech-config.ts';

export { ConfigError } from './parse-settings.ts';

/** Settings of the accompanying servers are accepted too, because one environment may serve all programs. */
const names: ReadonlySet<string> = new Set(
  [settings, serverSettings].flatMap(({ shape }) => Object.keys(shape)),
);

/** Real lines: SIP through drachtio-server, audio through FreeSWITCH or this gateway. */
export type DrachtioConfig = Readonly<{
  /**
   * Whether `drachtio` is the address of the relay (sip/relay), which shares one drachtio-server among several
   * gateways.
   */
  isByRelay: boolean;
  drachtio: { host: string; port: number; secret: string };
  /**
   * FreeSWITCH servers, which all have the same secret. If the list is empty, the gateway itself carries the audio of
   * all calls.
   */
  freeSwitches: readonly { host: string; port: number; secret: string }[];
  /** Trunk of all workspaces, as `host` or `host:port`; `null` if only workspaces have trunks. */
  trunkAddress: string | null;
  /** Number format towards the trunk. */
  trunkNumbers: 'domestic' | 'e164' | 'e164_without_plus';
  /** Component that carries the audio of calls on the configured trunk. */
  trunkMedia: 'freeswitch' | 'auto' | 'direct';
  /** Allowed codecs in order of preference; `null` for the default telephone codecs. */
  trunkCodecs: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null;
  /**
   * Names of `X-…` headers that are read from the trunk's INVITEs (`trunkHeadersIn`), and of those that INVITEs to the
   * trunk may contain (`trunkHeadersOut`).
   */
  trunkHeadersIn: string[];
  trunkHeadersOut: string[];
  /** Whether the gateway makes cold transfers by REFER, and whether the trunk may request transfers by REFER. */
  trunkRefer: boolean;
  trunkAcceptRefer: boolean;
  /** Address at which FreeSWITCH reaches this gateway; port 0 selects a free one. */
  mediaHost: string;
  /** Local address and ports for RTP that this gateway carries itself. */
  rtp: { host: string; ports: { from: number; to: number } };
  /** Time without RTP after which a call has lost its audio; 0 disables the check. */
  rtpTimeoutMs: number;
  /** Minimum idle CPU of a FreeSWITCH in percent. Below it, the FreeSWITCH gets no new calls; 0 disables the check. */
  minIdleCpu: number;
}>;

/** Server with the chat completions API of OpenAI. */
export type LanguageModelConfig = Readonly<{
  baseUrl: string;
  model: string;
  /** Models that a number may choose instead. */
  otherModels: readonly string[];
  apiKey: string | null;
}>;

export type Config = Readonly<{
  port: number;
  host: string;
  /** Addresses and subnets of reverse proxies whose information about the client address is trusted. */
  trustedProxies: readonly string[];
  /** Absolute path of the data folder. */
  dataFolder: string;
  /** URL of the database; `null` starts the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
  /**
   * Maximum connections of two pools: `databasePool` for reads and writes, `databaseJournalPool` for the journal of
   * calls.
   */
  databasePool: number;
  databaseJournalPool: number;
  /** Time limits of database requests; constants, not settings. */
  databaseLimits: Readonly<Record<keyof typeof databaseLimits, number>>;
  /** Line driver. `none`: this gateway shows calls of other gateways, but does not place, take or hang up calls. */
  lines: 'simulator' | 'drachtio' | 'none';
  /** Configuration of real lines; `null` unless `lines` is `drachtio`. */
  realLines: DrachtioConfig | null;
  /**
   * Key that encrypts stored secrets. `null`: the key is generated and stored in the data folder (only with the
   * embedded database).
   */
  masterKey: Buffer | null;
  oldMasterKeys: readonly Buffer[];
  agentCaFile: string | null;
  agentAllowedHosts: readonly string[];
  agentAllowLoopback: boolean;
  /**
   * DNS servers that resolve the host names of customers' servers, as `address` or `address:port`; `null` for those of
   * the system.
   */
  nameServers: readonly string[] | null;
  simulatorSpeed: number;
  country: string;
  /** Name of this gateway among the gateways of its database. */
  node: string;
  /** URL at which other gateways reach this one. `null`: the listening address, if it identifies one machine. */
  nodeUrl: string | null;
  /** NATS servers for notifications between gateways; `null` for notifications by the database. */
  nats: NatsConfig | null;
  /** Default limit of outbound minutes per day for workspaces without a limit of their own; `null` for no limit. */
  dailyMinutes: number | null;
  /**
   * Default of allowed kinds and prefixes for workspaces without a setting of their own; `null` for the platform's
   * default.
   */
  destinations: readonly string[] | null;
  /** Allowed addresses of workspaces' trunks (`src/outgoing/trunk-addresses.ts`); `null` if the operator sets none. */
  trunkAddresses: readonly string[] | null;
  maxCalls: number;
  /** Average delay of the event loop above which new calls are rejected; 0 disables this check. */
  maxDelayMs: number;
  /** Requests per minute for one key; 0 disables the limit. */
  rateLimit: number;
  drainSec: number;
  /** Whether another gateway, or the next process, takes over the calls in progress on shutdown. */
  handsOver: boolean;
  /** Language model of the built-in agent; `null` if the built-in agent works without one. */
  languageModel: LanguageModelConfig | null;
  speech: SpeechConfig;
  recordings: RecordingsConfig;
  /** Whether calls can be watched in the Stately inspector. */
  inspect: boolean;
  /** Retention of the SIP messages of calls in days; 0 disables storing. */
  sipTraceDays: number;
  /** File of the turn-end model; `null` if there is none. */
  turnModel: string | null;
  /** HEP collector that also receives the SIP messages; `null` if there is none. */
  hep: Readonly<{ host: string; port: number; captureId: number; password: string | null }> | null;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logFormat: 'pretty' | 'json';
  /** Names with the prefix GW_ that are not settings, probably misspelled. */
  unknownNames: readonly string[];
}>;

const realLinesOf = (values: z.infer<typeof settings>): DrachtioConfig => ({
  isByRelay: values.GW_RELAY !== null,
  // The relay is used like drachtio-server, because it has the same protocol.
  drachtio: { ...(values.GW_RELAY ?? values.GW_DRACHTIO), secret: values.GW_DRACHTIO_SECRET },
  freeSwitches: values.GW_FREESWITCH.map((each) => ({ ...each, secret: values.GW_FREESWITCH_SECRET })),
  trunkAddress: values.GW_TRUNK ?? null,
  trunkNumbers: values.GW_TRUNK_NUMBERS,
  trunkMedia: values.GW_TRUNK_MEDIA ?? (values.GW_FREESWITCH.length === 0 ? 'auto' : 'freeswitch'),
  trunkCodecs: values.GW_TRUNK_CODECS ?? null,
  trunkHeadersIn: values.GW_TRUNK_HEADERS_IN,
  trunkHeadersOut: values.GW_TRUNK_HEADERS_OUT,
  trunkRefer: values.GW_TRUNK_REFER,
  trunkAcceptRefer: values.GW_TRUNK_ACCEPT_REFER,
  mediaHost: values.GW_MEDIA_HOST,
  rtp: { host: values.GW_RTP_HOST ?? values.GW_MEDIA_HOST, ports: values.GW_RTP_PORTS },
  rtpTimeoutMs: values.GW_RTP_TIMEOUT_SEC * 1_000,
  minIdleCpu: values.GW_FREESWITCH_MIN_IDLE_CPU,
});

const hepOf = (values: z.infer<typeof settings>): Config['hep'] => {
  const { GW_HEP: address, GW_HEP_ID: captureId, GW_HEP_PASSWORD: password = null } = values;
  return address === undefined ? null : { ...address, captureId, password };
};

const languageModelOf = (values: z.infer<typeof settings>): LanguageModelConfig | null => {
  const { GW_LLM_BASE_URL: baseUrl, GW_LLM_MODEL: model, GW_LLM_API_KEY: apiKey = null } = values;
  const { GW_LLM_MODELS: models } = values;
  if (baseUrl === undefined && model === undefined && models === undefined && apiKey === null) return null;
  if (baseUrl === undefined) {
    throw new ConfigError(
      'GW_LLM_BASE_URL is required with GW_LLM_MODEL: where the model is served, such as https://host/v1',
    );
  }
  if (model === undefined) {
    throw new ConfigError('GW_LLM_MODEL is required with GW_LLM_BASE_URL: the name of the model');
  }
  return { baseUrl, model, otherModels: (models ?? []).filter((other) => other !== model), apiKey };
};

/**
 * Reads the settings. An empty variable counts as absent. Throws a ConfigError whose message names the first invalid
 * setting.
 */
export const readConfig = (environment: NodeJS.ProcessEnv, hasTerminal: boolean): Config => {
  const values = parseSettings(settings, environment);
  const databaseUrl = values.GW_DATABASE_URL ?? null;
  if (databaseUrl !== null && values.GW_MASTER_KEY === undefined)
    throw new ConfigError(
      'GW_MASTER_KEY is required with GW_DATABASE_URL: 32 bytes in base64 (make one with: openssl rand -base64 32)',
    );
  return Object.freeze({
    port: values.GW_PORT,
    host: values.GW_HOST,
    trustedProxies: values.GW_TRUSTED_PROXIES,
    dataFolder: resolve(values.GW_DATA_DIR),
    databaseUrl,
    databasePool: values.GW_DATABASE_POOL,
    databaseJournalPool: values.GW_DATABASE_JOURNAL_POOL,
    databaseLimits,
    lines: values.GW_LINES,
    realLines: values.GW_LINES === 'drachtio' ? realLinesOf(values) : null,
    masterKey: values.GW_MASTER_KEY ?? null,
    oldMasterKeys: values.GW_OLD_MASTER_KEYS,
    agentCaFile: values.GW_AGENT_CA_FILE ?? null,
    agentAllowedHosts: values.GW_AGENT_ALLOWED_HOSTS,
    agentAllowLoopback: values.GW_AGENT_ALLOW_LOOPBACK ?? databaseUrl === null,
    nameServers: values.GW_NAME_SERVERS ?? null,
    simulatorSpeed: values.GW_SIMULATOR_SPEED,
    country: values.GW_COUNTRY,
    node: values.GW_NODE,
    nodeUrl: values.GW_NODE_URL ?? null,
    nats: values.GW_NATS_URL ?? null,
    dailyMinutes: values.GW_DAILY_MINUTES ?? null,
    destinations: values.GW_DESTINATIONS ?? null,
    trunkAddresses: values.GW_TRUNK_ADDRESSES ?? null,
    maxCalls: values.GW_MAX_CALLS,
    maxDelayMs: values.GW_MAX_DELAY_MS,
    rateLimit: values.GW_RATE_LIMIT,
    drainSec: values.GW_DRAIN_SEC,
    handsOver: values.GW_HAND_OVER === 'auto',
    languageModel: languageModelOf(values),
    speech: speechOf(values),
    recordings: recordingsOf(values),
    inspect: values.GW_INSPECT,
    sipTraceDays: values.GW_SIP_TRACE_DAYS,
    turnModel: values.GW_TURN_MODEL ?? null,
    hep: hepOf(values),
    logLevel: values.GW_LOG_LEVEL,
    logFormat: values.GW_LOG_FORMAT ?? (hasTerminal ? 'pretty' : 'json'),
    unknownNames: Object.keys(givenSettings(environment)).filter((name) => !names.has(name)),
  });
};
