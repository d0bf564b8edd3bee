/**
 * A storage server with as much of S3 as recordings need: objects, ranges, multipart uploads. The server checks every
 * signature (AWS Signature Version 4) and can misbehave on request.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import type { S3Account } from '#src/recordings/s3-store.ts';

/** Misbehaviour of the server at a request; `undefined`: none. */
export type Misbehaviour =
  | { status: number; body?: string }
  /** Handles the request when the promise resolves. */
  | { after: Promise<unknown> }
  /** Accepts the request and never responds. */
  | 'stalls'
  /** Sends half of the body, then stalls. */
  | 'stalls half-way'
  | 'disconnects'
  /** Sends half of the body, then breaks off. */
  | 'breaks off'
  /** Returns the whole object for any range. */
  | 'ignores ranges'
  /** Confirms an object without storing it. */
  | 'forgets';

type S3Request = { method: string; key: string; query: URLSearchParams; headers: IncomingMessage['headers'] };

type StoredObject = { bytes: Buffer; contentType: string | undefined };

export type S3Server = S3Account & {
  objects: Map<string, StoredObject>;
  /** Uploads that were started and neither completed nor aborted, with their parts. */
  uploads: Map<string, Map<number, Buffer>>;
  /** `PUT`, `PUT part 2`, `POST begin` …, in order. */
  seen: string[];
  misbehave(how: (request: S3Request) => Misbehaviour | undefined): void;
  close(): Promise<void>;
};

const region = 'eu-test-1';
const bucket = 'calls';
const accessKey = 'AKTEST';
const secretKey = 'hush-hush-store';

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The error in the signature of a request; undefined if it is correct. */
const whyUnsigned = (request: IncomingMessage, url: URL, body: Buffer): string | undefined => {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([\da-f]{64})$/;
  const [, key, day = '', zone, names = '', signature] = form.exec(request.headers.authorization ?? '') ?? [];
  if (key !== accessKey || zone !== region) return 'InvalidAccessKeyId';
  const signed = names.split(';');
  const hash = String(request.headers['x-amz-content-sha256']);
  const moment = String(request.headers['x-amz-date']);
  if (!signed.includes('host') || !signed.includes('x-amz-content-sha256') || !signed.includes('x-amz-date'))
    return 'AccessDenied';
  if (hash !== 'UNSIGNED-PAYLOAD' && hash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  if (!moment.startsWith(day) || Math.abs(Date.now() - parseMoment(moment)) > 900_000)
    return 'RequestTimeTooSkewed';
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const headers = signed.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('');
  const canonical = [request.method, url.pathname, query, headers, names, hash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n');
  const signingKey = hmac(hmac(hmac(hmac(`AWS4${secretKey}`, day), region), 's3'), 'aws4_request');
  return hmac(signingKey, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
};

const parseMoment = (moment: string): number =>
  Date.parse(moment.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><AWSAccessKeyId>${accessKey}</AWSAccessKeyId></Error>`);
};

/** An object, or the requested range of it. */
const give = (
  request: IncomingMessage,
  response: ServerResponse,
  object: StoredObject | undefined,
  how?: Misbehaviour,
): void => {
  if (object === undefined) return refuse(response, 404, 'NoSuchKey');
  const { bytes, contentType = 'application/octet-stream' } = object;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const isPart = first !== undefined && how !== 'ignores ranges';
  const start = isPart ? Number(first) : 0;
  const end = isPart && last !== '' ? Math.min(Number(last), bytes.length - 1) : bytes.length - 1;
  if (isPart && start > end) return refuse(response, 416, 'InvalidRange');
  const part = bytes.subarray(start, end + 1);
  response.writeHead(isPart ? 206 : 200, {
    'Content-Type': contentType,
    'Content-Length': part.length,
    ETag: `"${sha256(bytes)}"`,
    ...(isPart ? { 'Content-Range': `bytes ${start}-${end}/${bytes.length}` } : {}),
  });
  if (request.method === 'HEAD') response.end();
  else if (how === 'stalls half-way' || how === 'breaks off')
    response.write(part.subarray(0, part.length / 2), () => {
      if (how === 'breaks off') response.destroy();
    });
  else response.end(part);
};

/** Keys in a page of a list. */
const pageKeys = 3;

/** A page of the objects with a prefix, in the order of their keys. */
const list = (
  response: ServerResponse,
  query: URLSearchParams,
  objects: ReadonlyMap<string, StoredObject>,
): void => {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const found = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const page = found.slice(0, pageKeys);
  const isTruncated = page.length < found.length;
  const contents = page.map(
    ([key, { bytes }]) => `<Contents><Key>${key}</Key><Size>${bytes.length}</Size></Contents>`,
  );
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : '';
  response
    .writeHead(200, { 'Content-Type': 'application/xml' })
    .end(
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    );
};

/** The joined parts of a completed upload; undefined if one of them differs from the sent one. */
const wholeOf = (body: Buffer, parts: ReadonlyMap<number, Buffer>): Buffer | undefined => {
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"?([^<"]*)/g)];
  const bytes = named.map(([, number, etag]) => {
    const part = parts.get(Number(number));
    return part !== undefined && sha256(part) === etag ? part : undefined;
  });
  const whole = bytes.filter((part) => part !== undefined);
  return whole.length === named.length && whole.length > 0 ? Buffer.concat(whole) : undefined;
};

/** Stores and deletes objects, whole or as multipart uploads. */
const createTaking = ({ objects, uploads }: Pick<S3Server, 'objects' | 'uploads'>) => {
  const types = new Map<string, string | undefined>();
  return (request: IncomingMessage, response: ServerResponse, url: URL, key: string, body: Buffer): void => {
    const id = url.searchParams.get('uploadId');
    const parts = id === null ? undefined : uploads.get(id);
    const isBegin = url.searchParams.has('uploads');
    if (!isBegin && id !== null && parts === undefined) return refuse(response, 404, 'NoSuchUpload');
    if (isBegin) {
      const uploadId = randomUUID();
      uploads.set(uploadId, new Map());
      types.set(uploadId, request.headers['content-type']);
      response.end(
        `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
      );
    } else if (id === null && request.method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (parts === undefined || id === null) {
      objects.set(key, { bytes: body, contentType: request.headers['content-type'] });
      response.setHeader('ETag', `"${sha256(body)}"`).end();
    } else if (request.method === 'PUT') {
      parts.set(Number(url.searchParams.get('partNumber')), body);
      response.setHeader('ETag', `"${sha256(body)}"`).end();
    } else if (request.method === 'DELETE') {
      uploads.delete(id);
      response.writeHead(204).end();
    } else {
      const whole = wholeOf(body, parts);
      if (whole === undefined) return refuse(response, 400, 'InvalidPart');
      objects.set(key, { bytes: whole, contentType: types.get(id) });
      uploads.delete(id);
      response.end('<CompleteMultipartUploadResult><ETag>"done"</ETag></CompleteMultipartUploadResult>');
    }
  };
};

/** Ends with the test. */
export const startS3Server = async (t: Pick<ExecutionContext, 'teardown'>): Promise<S3Server> => {
  const objects: S3Server['objects'] = new Map();
  const uploads: S3Server['uploads'] = new Map();
  const take = createTaking({ objects, uploads });
  const seen: string[] = [];
  let misbehaviour: (request: S3Request) => Misbehaviour | undefined = () => undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://store');
    const { method = '' } = request;
    const key = decodeURIComponent(url.pathname).replace(`/${bucket}/`, '');
    const number = url.searchParams.get('partNumber');
    const step = url.searchParams.has('list-type')
      ? ' list'
      : url.searchParams.has('uploads')
        ? ' begin'
        : method === 'POST'
          ? ' complete'
          : '';
    seen.push(`${method}${step}${number === null ? '' : ` part ${number}`}`);
    const how = misbehaviour({ method, key, query: url.searchParams, headers: request.headers });
    if (how === 'disconnects') return void request.socket.destroy();
    if (how === 'stalls') return;
    const body = await buffer(request);
    const unsigned = whyUnsigned(request, url, body);
    if (unsigned !== undefined) return refuse(response, 403, unsigned);
    if (typeof how === 'object' && 'after' in how) await how.after;
    else if (typeof how === 'object') return void response.writeHead(how.status).end(how.body);
    if (how === 'forgets') return void response.setHeader('ETag', '"x"').end();
    if (url.searchParams.has('list-type')) list(response, url.searchParams, objects);
    else if (method === 'GET' || method === 'HEAD') give(request, response, objects.get(key), how);
    else take(request, response, url, key, body);
  };

  const server = createServer((request, response) => {
    // Connections that break within a body are part of the tests.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(close);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    region,
    accessKey,
    secretKey,
    objects,
    uploads,
    seen,
    misbehave: (how) => {
      misbehaviour = how;
    },
    close,
  };
};
