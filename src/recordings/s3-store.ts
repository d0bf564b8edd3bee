/**
 * Stores recordings in any S3-compatible store with path-style addresses. Uploads read parts from the disk as they are
 * sent, and downloads are streams, so no file is held in memory as a whole.
 */
import { openAsBlob } from 'node:fs';
import { Readable } from 'node:stream';
import type { ByteRange } from '#src/domain/open-recording.ts';
import { S3mini } from 's3mini';
import { Agent, fetch } from 'undici';
import { StoreFailure, type RecordingStore } from './store.ts';

export type S3Account = {
  /** URL of the store without a path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
};

export type StoreLimits = {
  connectMs: number;
  /** Time in ms without a byte in either direction after which a request has failed. */
  stallMs: number;
  /** Size in bytes above which a file is uploaded in parts of this size. S3 requires at least 5 MiB. */
  partBytes: number;
};

const networkCode = /^[A-Z][A-Z0-9_]{2,40}$/;

/** Returns the loggable part of an error: an HTTP status or a transport error code. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'an unknown error';
  if ('status' in error && typeof error.status === 'number') return `HTTP ${error.status}`;
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  return networkCode.test(code) ? code : 'no usable answer';
};

const isAbsence = (error: unknown): boolean =>
  error instanceof Error && (('status' in error && error.status === 404) || isAbsence(error.cause));

/** Runs a request and drops the store's error texts, which may contain signed data or the key's owner. */
const failing = async <Value>(what: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreFailure) throw error;
    throw new StoreFailure(`The store of recordings failed to ${what}: ${reasonOf(error)}`);
  }
};

/** Connections of one store and the requests on them. */
const connect = (account: S3Account, limits: StoreLimits): { s3: S3mini; agent: Agent } => {
  const agent = new Agent({
    connect: { timeout: limits.connectMs },
    allowH2: false,
    headersTimeout: limits.stallMs,
    bodyTimeout: limits.stallMs,
  });
  const s3 = new S3mini({
    accessKeyId: account.accessKey,
    secretAccessKey: account.secretKey,
    endpoint: `${account.endpoint}/${account.bucket}`,
    region: account.region,
    fetch: (url, { method = 'GET', headers, body } = {}) =>
      fetch(typeof url === 'string' || url instanceof URL ? url : url.url, {
        method,
        headers: [...new Headers(headers), ['accept-encoding', 'identity']],
        ...(typeof body === 'string' || body instanceof Blob ? { body } : {}),
        // Rejects redirects, so that no data is sent to another host.
        redirect: 'manual',
        dispatcher: agent,
      }),
  });
  return { s3, agent };
};

const sizeOf = async (s3: S3mini, key: string): Promise<number | undefined> => {
  try {
    return await s3.getContentLength(key);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
};

type Upload = { key: string; file: Blob; contentType: string };

const verify = async (s3: S3mini, { key, file }: Upload): Promise<void> => {
  // The size is checked as well, because S3 may answer the completion of an upload with 200 and an error.
  if ((await sizeOf(s3, key)) !== file.size)
    throw new StoreFailure('The store of recordings lost a recording');
};

const putInParts = async (s3: S3mini, upload: Upload, partBytes: number): Promise<void> => {
  const { key, file } = upload;
  const uploadId = await s3.getMultipartUploadId(key, upload.contentType);
  try {
    const parts: Awaited<ReturnType<typeof s3.uploadPart>>[] = [];
    for (let from = 0; from < file.size; from += partBytes) {
      const part = file.slice(from, from + partBytes);
      parts.push(await s3.uploadPart(key, uploadId, part, parts.length + 1));
    }
    await s3.completeMultipartUpload(key, uploadId, parts);
    await verify(s3, upload);
  } catch (error) {
    // The incomplete upload is aborted, because it would cost the operator money. If the abort also fails, the first
    // error is thrown, because it is more informative.
    await s3.abortMultipartUpload(key, uploadId).catch(() => undefined);
    throw error;
  }
};

/** Whether the response contains the requested whole file or range. */
const isWanted = ({ status, headers }: Response, range: ByteRange | undefined): boolean => {
  if (range === undefined) return status === 200;
  const given = headers.get('content-range') ?? '';
  return status === 206 && given.startsWith(`bytes ${range.start}-${range.end}/`);
};

const readFrom = async (s3: S3mini, key: string, range: ByteRange | undefined): Promise<Readable> => {
  const response = await (range === undefined
    ? s3.getObjectRaw(key)
    : s3.getObjectRaw(key, false, range.start, range.end + 1));
  const { body } = response;
  if (isWanted(response, range) && body !== null) return Readable.fromWeb(body);
  await body?.cancel();
  throw new StoreFailure('The store of recordings gave another part than was asked for');
};

export const createS3Store = (account: S3Account, limits: StoreLimits): RecordingStore => {
  const { s3, agent } = connect(account, limits);
  return {
    put: (key, { path, contentType }) =>
      failing('take a recording', async () => {
        const upload = { key, file: await openAsBlob(path), contentType };
        if (upload.file.size > limits.partBytes) return putInParts(s3, upload, limits.partBytes);
        await s3.putObject(key, upload.file, contentType);
        await verify(s3, upload);
      }),
    putPiece: (key, bytes) =>
      failing('take a part of a recording', async () => {
        await s3.putObject(key, new Blob([bytes]), 'application/octet-stream');
      }),
    list: (prefix) =>
      failing('list the parts of a recording', async () => {
        const objects = await s3.listObjects('/', prefix);
        if (objects === null) throw new StoreFailure('The store of recordings has no such bucket');
        return objects
          .map(({ Key: key, Size: size }) => ({ key, bytes: size }))
          .toSorted((one, other) => (one.key < other.key ? -1 : 1));
      }),
    size: (key) => failing('tell the size of a recording', () => sizeOf(s3, key)),
    read: (key, range) => failing('give a recording', () => readFrom(s3, key, range)),
    remove: (key) =>
      failing('remove a recording', async () => {
        if (!(await s3.deleteObject(key)) && (await sizeOf(s3, key)) !== undefined)
          throw new StoreFailure('The store of recordings kept a recording that is to go');
      }),
    close: () => agent.destroy(),
  };
};
