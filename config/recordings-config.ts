/** Format, folder and store of recordings. */
import { join } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from './parse-settings.ts';
import type { settings } from './settings.ts';

export type RecordingsConfig = Readonly<{
  format: 'ogg' | 'mp3';
  /** Folder in which recordings are written. Gateways of one database may share the folder. */
  folder: string;
  /** Store of completed recordings; `null` if recordings remain in the data folder. */
  store: Readonly<{
    endpoint: string;
    bucket: string;
    region: string;
    accessKey: string;
    secretKey: string;
    /** Prefix of names in the store, which is empty or ends with a slash. */
    prefix: string;
    /** Seconds of a call after which its latest audio is uploaded; 0 if raw parts stay in the folder. */
    partSec: number;
  }> | null;
}>;

type Values = z.infer<typeof settings>;

const storeOf = (values: Values): RecordingsConfig['store'] => {
  const {
    GW_RECORDINGS_S3_ENDPOINT: endpoint,
    GW_RECORDINGS_S3_BUCKET: bucket,
    GW_RECORDINGS_S3_ACCESS_KEY: accessKey,
    GW_RECORDINGS_S3_SECRET_KEY: secretKey,
  } = values;
  if (endpoint === undefined) {
    if (bucket === undefined && accessKey === undefined && secretKey === undefined) return null;
    throw new ConfigError(
      'GW_RECORDINGS_S3_ENDPOINT is required to keep recordings in a store: where it is, such as https://s3.example.com',
    );
  }
  if (bucket === undefined)
    throw new ConfigError('GW_RECORDINGS_S3_BUCKET is required with GW_RECORDINGS_S3_ENDPOINT');
  if (accessKey === undefined || secretKey === undefined)
    throw new ConfigError(
      'GW_RECORDINGS_S3_ACCESS_KEY and GW_RECORDINGS_S3_SECRET_KEY are required with GW_RECORDINGS_S3_ENDPOINT',
    );
  const {
    GW_RECORDINGS_S3_REGION: region,
    GW_RECORDINGS_S3_PREFIX: prefix,
    GW_RECORDINGS_S3_PART_SEC: partSec,
  } = values;
  return { endpoint, bucket, region, accessKey, secretKey, prefix, partSec };
};

export const recordingsOf = (values: Values): RecordingsConfig => ({
  format: values.GW_RECORDINGS_FORMAT,
  folder: values.GW_RECORDINGS_DIR ?? join(values.GW_DATA_DIR, 'recordings'),
  store: storeOf(values),
});
