/** Environment → one frozen, checked Config. Every setting is documented in the table of guides/settings.md. */
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

/** Those of the servers beside the gateway are no mistakes: one environment may serve all. */
const names: ReadonlySet<string> = new Set(
  [settings, serverSettings].flatMap(({ shape }) => Object.keys(shape)),
);

/** Real lines: SIP by drachtio-server, sound by FreeSWITCH or by this gateway itself. */
export type DrachtioConfig = Readonly<{
  /** Whether `drachtio` is the relay, by which other gateways reach the same far ends. */
  isByRelay: boolean;
  drachtio: { host: string; port: number; secret: string };
  /** With the same secret. None: the gateway carries the sound of all calls itself. */
  freeSwitches: readonly { host: string; port: number; secret: string }[];
  /** The trunk of every workspace: `host` or `host:port`; `null` where each has its own. */
  trunkAddress: string | null;
  /** How numbers are written to the trunk. */
  trunkNumbers: 'domestic' | 'e164' | 'e164_without_plus';
  /** Who carries the sound of its calls. */
  trunkMedia: 'freeswitch' | 'auto' | 'direct';
  /** Which codecs its calls may have, in order of preference; `null`: those of telephones. */
  trunkCodecs: ('PCMU' | 'PCMA' | 'G722' | 'opus')[] | null;
  /** Names `X-…` of headers that are taken from its INVITEs, and of those that an INVITE to it may have. */
  trunkHeadersIn: string[];
  trunkHeadersOut: string[];
  /** Whether it makes cold transfers by REFER, and whether it may ask for them. */
  trunkRefer: boolean;
  trunkAcceptRefer: boolean;
  /** Where FreeSWITCH reaches this gateway; port 0 takes a free one. */
  mediaHost: string;
  /** Where trunks send the sound that this gateway carries itself: an address of this machine, and its ports. */
  rtp: { host: string; ports: { from: number; to: number } };
  /** A call to which no RTP comes for so long has lost its sound; 0 for never. */
  rtpTimeoutMs: number;
}>;

/** Any server that speaks chat completions. */
export type LanguageModelConfig = Readonly<{ baseUrl: string; model: string; apiKey: string | null }>;

export type Config = Readonly<{
  port: number;
  host: string;
  /** Addresses and subnets of proxies before the API, whose word on where a request comes from is taken. */
  trustedProxies: readonly string[];
  /** Absolute. */
  dataFolder: string;
  /** `null` starts the embedded PostgreSQL in the data folder. */
  databaseUrl: string | null;
  /** Connections for what is read and written, and for the journal of calls. */
  databasePool: number;
  databaseJournalPool: number;
  /** How long the database may take; no setting. */
  databaseLimits: Readonly<Record<keyof typeof databaseLimits, number>>;
  /** `none`: calls of other gateways are shown, none are placed, taken or hung up. */
  lines: 'simulator' | 'drachtio' | 'none';
  /** `null` but for `drachtio`. */
  realLines: DrachtioConfig | null;
  /** `null`: made and kept in the data folder (embedded start only). */
  masterKey: Buffer | null;
  oldMasterKeys: readonly Buffer[];
  agentCaFile: string | null;
  agentAllowedHosts: readonly string[];
  agentAllowLoopback: boolean;
  /** `address` or `address:port`, asked for the names of customers' servers; `null`: those of the system. */
  nameServers: readonly string[] | null;
  simulatorSpeed: number;
  country: string;
  /** Name of this gateway among those that share a database. */
  node: string;
  /** Where other gateways reach this one; `null`: where it listens, if that is an address of one machine. */
  nodeUrl: string | null;
  /** What gateways wake each other by; `null`: the database. */
  nats: NatsConfig | null;
  /** Minutes of outbound calls a day where a workspace says nothing; `null` for no limit. */
  dailyMinutes: number | null;
  /** Kinds and prefixes that may be called where a workspace says nothing; `null` for the platform's. */
  destinations: readonly string[] | null;
  /** Where trunks of workspaces may be (`src/outgoing/trunk-addresses.ts`); `null` where the operator says nothing. */
  trunkAddresses: readonly string[] | null;
  maxCalls: number;
  /** How late the event loop may be, on average, before no more calls are taken; 0: that is no reason. */
  maxDelayMs: number;
  /** Requests a minute for one key; 0 switches the limit off. */
  rateLimit: number;
  drainSec: number;
  /** Whether calls in progress go on at another gateway, or at the next process, when this one is asked to end. */
  handsOver: boolean;
  /** What the built-in agent thinks with; `null`: it works without a language model. */
  languageModel: LanguageModelConfig | null;
  speech: SpeechConfig;
  recordings: RecordingsConfig;
  /** Whether calls can be watched in the Stately inspector. */
  inspect: boolean;
  /** How long the SIP messages of calls are kept; 0 for not at all. */
  sipTraceDays: number;
  /** The file of a model that hears the end of a turn; `null`: there is none. */
  turnModel: string | null;
  /** Where they are sent to as well, by HEP; `null`: nowhere. */
  hep: Readonly<{ host: string; port: number; captureId: number; password: string | null }> | null;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logFormat: 'pretty' | 'json';
  /** Names that begin with GW_ and are no setting: mistyped, most likely. */
  unknownNames: readonly string[];
}>;

const realLinesOf = (values: z.infer<typeof settings>): DrachtioConfig => ({
  isByRelay: values.GW_RELAY !== undefined,
  // The relay speaks as drachtio-server does.
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
});

const hepOf = (values: z.infer<typeof settings>): Config['hep'] => {
  const { GW_HEP: address, GW_HEP_ID: captureId, GW_HEP_PASSWORD: password = null } = values;
  return address === undefined ? null : { ...address, captureId, password };
};

const languageModelOf = (values: z.infer<typeof settings>): LanguageModelConfig | null => {
  const { GW_LLM_BASE_URL: baseUrl, GW_LLM_MODEL: model, GW_LLM_API_KEY: apiKey = null } = values;
  if (baseUrl === undefined && model === undefined && apiKey === null) return null;
  if (baseUrl === undefined) {
    throw new ConfigError(
      'GW_LLM_BASE_URL is required with GW_LLM_MODEL: where the model is served, such as https://host/v1',
    );
  }
  if (model === undefined) {
    throw new ConfigError('GW_LLM_MODEL is required with GW_LLM_BASE_URL: the name of the model');
  }
  return { baseUrl, model, apiKey };
};

/** An empty variable counts as absent. Throws a ConfigError whose message names the first wrong setting. */
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
