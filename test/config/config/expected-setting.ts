/** Expectations of a setting, and settings that others require. */
import type { Config } from '#config/config.ts';

export type ExpectedSetting = {
  /** The parsed value. */
  of: (config: Config) => unknown;
  default: unknown;
  /** Accepted texts and their parsed values. */
  valid: Readonly<Record<string, unknown>>;
  invalid: readonly string[];
  /** Other settings that this one requires to have an effect. */
  with?: Record<string, string>;
};

export type ExpectedSettings = Readonly<Record<string, ExpectedSetting>>;

export const masterKey = Buffer.alloc(32, 1).toString('base64');
export const databaseUrl = 'postgresql://trunkline:hush-hush@db.example:5432/trunkline';
export const real = { GW_LINES: 'drachtio', GW_TRUNK: 'sip.example:5060' };

/** Settings of engines that have no default. */
export const engineSettings = {
  GW_DEEPGRAM_API_KEY: 'hush-hush',
  GW_ELEVENLABS_API_KEY: 'hush-hush',
  GW_ELEVENLABS_VOICE: 'v',
  GW_SPEECH_BASE_URL: 'https://speech.example/v1',
  GW_VOSK_URL: 'ws://127.0.0.1:2700',
  GW_WHISPER_URL: 'http://127.0.0.1:8080',
};

/** Required settings of a store. */
export const storeSettings = {
  GW_RECORDINGS_S3_ENDPOINT: 'https://s3.example',
  GW_RECORDINGS_S3_BUCKET: 'calls',
  GW_RECORDINGS_S3_ACCESS_KEY: 'hush-hush',
  GW_RECORDINGS_S3_SECRET_KEY: 'hush-hush',
};

/** Texts that are not integers from 0 on. */
export const notWhole = ['-1', '1.5', '1e3', ' 1', 'ten', '0x10', '99999999999'];
