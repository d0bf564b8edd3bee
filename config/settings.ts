/** Every setting of the gateway: its environment variable, format and default. */
import { isIP } from 'node:net';
import { z } from 'zod';
import {
  address,
  apiKey,
  choiceOf,
  destinationList,
  hostAndPort,
  hostAndPortListOrNone,
  hostAndPortOrNone,
  hostList,
  modelList,
  isDatabaseUrl,
  nameServerList,
  portRange,
  sipHeaderList,
  subnetList,
  trunkAddressList,
  wholeNumber,
  yesOrNo,
  serverUrl,
  storeUrl,
} from './setting-forms.ts';
import { usualDataFolder } from './data-folder.mjs';
import { natsServers } from './nats-servers.ts';

/** A URL to which API paths are appended; trailing slashes are removed. */
const baseUrl = (...protocols: readonly string[]) =>
  serverUrl(...protocols)
    .refine((text) => !text.includes('?'), 'must have no query')
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''));

export const settings = z.object({
  GW_PORT: wholeNumber(0, 65_535).default(8080),
  GW_HOST: z
    .string()
    .regex(/^[0-9a-zA-Z.:-]+$/, 'must be an address or a host name')
    .default('127.0.0.1'),
  GW_TRUSTED_PROXIES: subnetList.default([]),
  GW_DATA_DIR: z.string().default(usualDataFolder),
  GW_DATABASE_URL: z
    .string()
    .refine(isDatabaseUrl, 'must look like postgresql://user:password@host:5432/database')
    .optional(),
  GW_DATABASE_POOL: wholeNumber(2, 200).default(10),
  GW_DATABASE_JOURNAL_POOL: wholeNumber(1, 200).default(5),
  GW_LINES: z
    .enum(['simulator', 'drachtio', 'none'], 'must be simulator, drachtio or none')
    .default('simulator'),
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
  GW_NAME_SERVERS: nameServerList.optional(),
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
  GW_NODE_URL: serverUrl('https', 'http').optional(),
  GW_NATS_URL: natsServers.optional(),
  GW_DAILY_MINUTES: wholeNumber(1, 1_000_000).optional(),
  GW_DESTINATIONS: destinationList.optional(),
  GW_MAX_CALLS: wholeNumber(1, 100_000).default(5_000),
  GW_MAX_DELAY_MS: wholeNumber(0, 10_000).default(50),
  GW_RATE_LIMIT: wholeNumber(0, 10_000_000).default(6_000),
  GW_DRAIN_SEC: wholeNumber(0, 3_600).default(30),
  GW_HAND_OVER: z.enum(['auto', 'never'], 'must be auto or never').default('auto'),
  GW_DRACHTIO: hostAndPort(9022).default({ host: '127.0.0.1', port: 9022 }),
  GW_DRACHTIO_SECRET: z.string().default('cymru'),
  GW_RELAY: hostAndPortOrNone(9023).default({ host: '127.0.0.1', port: 9023 }),
  GW_FREESWITCH: hostAndPortListOrNone(8021).default([{ host: '127.0.0.1', port: 8021 }]),
  GW_FREESWITCH_SECRET: z.string().default('ClueCon'),
  GW_FREESWITCH_MIN_IDLE_CPU: wholeNumber(0, 99).default(0),
  GW_TRUNK: address('must be the host, or host:port, of a SIP trunk').optional(),
  GW_TRUNK_ADDRESSES: trunkAddressList.optional(),
  GW_TRUNK_NUMBERS: z
    .enum(['domestic', 'e164', 'e164_without_plus'], 'must be domestic, e164 or e164_without_plus')
    .default('domestic'),
  GW_TRUNK_MEDIA: z.enum(['freeswitch', 'auto', 'direct'], 'must be freeswitch, auto or direct').optional(),
  GW_TRUNK_CODECS: choiceOf('PCMU', 'PCMA', 'G722', 'opus').optional(),
  GW_TRUNK_HEADERS_IN: sipHeaderList.default([]),
  GW_TRUNK_HEADERS_OUT: sipHeaderList.default([]),
  GW_TRUNK_REFER: yesOrNo.default(false),
  GW_TRUNK_ACCEPT_REFER: yesOrNo.default(false),
  GW_MEDIA_HOST: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){3}$/, 'must be an IPv4 address of this machine')
    .default('127.0.0.1'),
  GW_RTP_HOST: z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IP address of this machine that trunks reach')
    .optional(),
  GW_RTP_PORTS: portRange.default({ from: 30_000, to: 39_999 }),
  GW_RTP_TIMEOUT_SEC: wholeNumber(0, 3_600).default(30),
  GW_SIP_TRACE_DAYS: wholeNumber(0, 3_650).default(7),
  GW_HEP: hostAndPort(9060).optional(),
  GW_HEP_ID: wholeNumber(0, 4_294_967_295).default(2001),
  GW_HEP_PASSWORD: apiKey.optional(),
  GW_LLM_BASE_URL: serverUrl('https', 'http').optional(),
  GW_LLM_MODEL: z.string().optional(),
  GW_LLM_MODELS: modelList.optional(),
  GW_LLM_API_KEY: apiKey.optional(),
  GW_RECOGNIZERS: choiceOf(
    'deepgram',
    'deepgram-flux',
    'openai-transcription',
    'vosk',
    'whisper-cpp',
    'pocketsphinx',
  ).default([]),
  GW_SYNTHESIZERS: choiceOf('deepgram-aura', 'openai-speech', 'elevenlabs', 'espeak-ng').default([]),
  GW_TURN_MODEL: z.string().optional(),
  GW_DEEPGRAM_API_KEY: apiKey.optional(),
  GW_DEEPGRAM_URL: baseUrl('https', 'http').default('https://api.deepgram.com'),
  GW_ELEVENLABS_API_KEY: apiKey.optional(),
  GW_ELEVENLABS_URL: baseUrl('https', 'http').default('https://api.elevenlabs.io'),
  GW_ELEVENLABS_VOICE: z
    .string()
    .regex(/^\w{1,64}$/, 'must be the id of a voice, made of letters and digits')
    .optional(),
  GW_SPEECH_BASE_URL: baseUrl('https', 'http').optional(),
  GW_SPEECH_API_KEY: apiKey.optional(),
  GW_SPEECH_RECOGNITION_MODEL: z.string().default('gpt-4o-mini-transcribe'),
  GW_SPEECH_SYNTHESIS_MODEL: z.string().default('gpt-4o-mini-tts'),
  GW_SPEECH_VOICE: z.string().default('alloy'),
  GW_VOSK_URL: serverUrl('ws', 'wss').optional(),
  GW_WHISPER_URL: baseUrl('http', 'https').optional(),
  GW_RECORDINGS_DIR: z.string().min(1, 'must be a folder').optional(),
  GW_RECORDINGS_FORMAT: z.enum(['ogg', 'mp3'], 'must be ogg or mp3').default('ogg'),
  GW_RECORDINGS_S3_ENDPOINT: storeUrl.optional(),
  GW_RECORDINGS_S3_BUCKET: z
    .string()
    .regex(
      /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/,
      'must be the name of a bucket: 3 to 63 small letters, digits, dots or hyphens',
    )
    .optional(),
  GW_RECORDINGS_S3_REGION: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the name of a region')
    .default('us-east-1'),
  GW_RECORDINGS_S3_ACCESS_KEY: apiKey.optional(),
  GW_RECORDINGS_S3_SECRET_KEY: apiKey.optional(),
  GW_RECORDINGS_S3_PREFIX: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*\/?$/, 'must be a path of letters, digits, dots, hyphens and underscores')
    .transform((prefix) => `${prefix.replace(/\/$/, '')}/`)
    .default(''),
  GW_RECORDINGS_S3_PART_SEC: wholeNumber(0, 300).default(10),
  GW_INSPECT: yesOrNo.default(false),
  GW_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  GW_LOG_FORMAT: z.enum(['pretty', 'json'], 'must be pretty or json').optional(),
});

/** Settings whose values must not appear in messages. */
export const secretSettings: ReadonlySet<string> = new Set([
  'GW_DATABASE_URL',
  'GW_NATS_URL',
  'GW_MASTER_KEY',
  'GW_OLD_MASTER_KEYS',
  'GW_DRACHTIO_SECRET',
  'GW_FREESWITCH_SECRET',
  'GW_HEP_PASSWORD',
  'GW_LLM_API_KEY',
  'GW_DEEPGRAM_API_KEY',
  'GW_ELEVENLABS_API_KEY',
  'GW_SPEECH_API_KEY',
  // An operator may have included a key in this URL.
  'GW_RECORDINGS_S3_ENDPOINT',
  'GW_RECORDINGS_S3_ACCESS_KEY',
  'GW_RECORDINGS_S3_SECRET_KEY',
]);
