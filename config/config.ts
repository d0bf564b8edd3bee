/** Environment → one frozen, checked Config. Every setting is documented in the README's table. */
import { resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { secretSettings, settings } from './settings.ts';
import { speechOf, type SpeechConfig } from './speech-config.ts';

export { ConfigError } from './config-error.ts';

const names: ReadonlySet<string> = new Set(Object.keys(settings.shape));

/** Real lines: SIP by drachtio-server, sound by FreeSWITCH. */
export type DrachtioConfig = Readonly<{
  drachtio: { host: string; port: number; secret: string };
  freeSwitch: { host: string; port: number; secret: string };
  /** The trunk of every workspace: `host` or `host:port`; `null` where each has its own. */
  trunkAddress: string | null;
  /** How numbers are written to the trunk. */
  trunkNumbers: 'domestic' | 'e164';
  /** Where FreeSWITCH reaches this gateway; port 0 takes a free one. */
  media: { host: string; port: number };
}>;

/** Any server that speaks chat completions. */
export type LanguageModelConfig = Readonly<{ baseUrl: string; model: string; apiKey: string | null }>;

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
  /** What the built-in agent thinks with; `null`: it works without a language model. */
  languageModel: LanguageModelConfig | null;
  speech: SpeechConfig;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logFormat: 'pretty' | 'json';
  /** Names that begin with GW_ and are no setting: mistyped, most likely. */
  unknownNames: readonly string[];
}>;

const problemOf = (issue: z.core.$ZodIssue, environment: NodeJS.ProcessEnv): string => {
  const name = String(issue.path[0]);
  const value = environment[name] ?? '';
  return secretSettings.has(name)
    ? `${name} ${issue.message}`
    : `${name} ${issue.message} (it is ${JSON.stringify(value.slice(0, 100))})`;
};

const realLinesOf = (values: z.infer<typeof settings>): DrachtioConfig => ({
  drachtio: { ...values.GW_DRACHTIO, secret: values.GW_DRACHTIO_SECRET },
  freeSwitch: { ...values.GW_FREESWITCH, secret: values.GW_FREESWITCH_SECRET },
  trunkAddress: values.GW_TRUNK ?? null,
  trunkNumbers: values.GW_TRUNK_NUMBERS,
  media: { host: values.GW_MEDIA_HOST, port: values.GW_MEDIA_PORT },
});

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
  return Object.freeze({
    port: values.GW_PORT,
    host: values.GW_HOST,
    dataFolder: resolve(values.GW_DATA_DIR),
    databaseUrl,
    databasePool: values.GW_DATABASE_POOL,
    lines: values.GW_LINES,
    realLines: values.GW_LINES === 'simulator' ? null : realLinesOf(values),
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
    languageModel: languageModelOf(values),
    speech: speechOf(values),
    logLevel: values.GW_LOG_LEVEL,
    logFormat: values.GW_LOG_FORMAT ?? (hasTerminal ? 'pretty' : 'json'),
    unknownNames: Object.keys(given).filter((name) => !names.has(name)),
  });
};
