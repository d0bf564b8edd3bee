/** Expectations of the settings of recordings and their store. */
import { notWhole, storeSettings, type ExpectedSettings } from './expected-setting.ts';

export const recordingSettings: ExpectedSettings = {
  GW_RECORDINGS_DIR: {
    of: ({ recordings }) => recordings.folder,
    default: '.data/recordings',
    valid: { '/srv/recordings': '/srv/recordings' },
    invalid: [],
  },
  GW_RECORDINGS_FORMAT: {
    of: ({ recordings }) => recordings.format,
    default: 'ogg',
    valid: { ogg: 'ogg', mp3: 'mp3' },
    invalid: ['wav', 'OGG'],
  },
  GW_RECORDINGS_S3_ENDPOINT: {
    of: ({ recordings }) => recordings.store?.endpoint ?? null,
    default: null,
    valid: {
      'https://s3.example': 'https://s3.example',
      'https://s3.example:9000/': 'https://s3.example:9000',
      'http://127.0.0.1:9000': 'http://127.0.0.1:9000',
      'http://localhost:9000': 'http://localhost:9000',
      'http://[::1]:9000': 'http://[::1]:9000',
    },
    invalid: [
      's3.example',
      'http://s3.example',
      'http://127.0.0.1.example:9000',
      'https://key:hush-hush@s3.example',
      'https://s3.example/calls',
      'https://s3.example/?a=b',
      'ftp://s3.example',
    ],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_BUCKET: {
    of: ({ recordings }) => recordings.store?.bucket ?? null,
    default: null,
    valid: { 'my.calls-2026': 'my.calls-2026' },
    invalid: ['ab', 'Calls', 'a/b', '-calls', 'c'.repeat(64)],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_REGION: {
    of: ({ recordings }) => recordings.store?.region ?? 'us-east-1',
    default: 'us-east-1',
    valid: { 'eu-central-1': 'eu-central-1', auto: 'auto' },
    invalid: ['eu central', 'eu/1'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_ACCESS_KEY: {
    of: ({ recordings }) => recordings.store?.accessKey ?? null,
    default: null,
    valid: { AKIA123: 'AKIA123' },
    invalid: ['hush-hush key'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_SECRET_KEY: {
    of: ({ recordings }) => recordings.store?.secretKey ?? null,
    default: null,
    valid: { 'a/b+c=': 'a/b+c=' },
    invalid: ['hush-hush key'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_PREFIX: {
    of: ({ recordings }) => recordings.store?.prefix ?? '',
    default: '',
    valid: { 'recordings/gateway-1': 'recordings/gateway-1/', 'a/': 'a/' },
    invalid: ['/', '/a', 'a//b', 'a b', 'a?b'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_PART_SEC: {
    of: ({ recordings }) => recordings.store?.partSec ?? 10,
    default: 10,
    valid: { 0: 0, 300: 300 },
    invalid: [...notWhole, '301'],
    with: storeSettings,
  },
};
