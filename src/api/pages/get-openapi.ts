import { defineRoute } from '../http/route.ts';
import { storedOpenApi } from '../stored-openapi.ts';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './built-file.ts';

/** Compression level that reaches nearly the smallest size in a tenth of the time. */
const quality = 9;

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: quality }),
} as const;

type Packed = { body: Buffer; headers: Readonly<Record<string, string>> };

/**
 * Static content that is sent in the smallest encoding that the client accepts. Each encoding is created on its first
 * use.
 */
const createPacked = (
  plain: Buffer,
): ((takesEncoding: (encoding: Encoding) => boolean) => Promise<Packed>) => {
  const made = new Map<Encoding, Promise<Buffer>>();
  return async (takesEncoding) => {
    const encoding = (['br', 'gzip'] as const).find(takesEncoding);
    if (encoding === undefined) return { body: plain, headers: { Vary: 'Accept-Encoding' } };
    const body = made.get(encoding) ?? compressors[encoding](plain);
    made.set(encoding, body);
    return { body: await body, headers: { Vary: 'Accept-Encoding', 'Content-Encoding': encoding } };
  };
};

let document: Promise<ReturnType<typeof createPacked>> | undefined;

const readPacked = async (version: string): Promise<ReturnType<typeof createPacked>> =>
  createPacked(Buffer.from(await storedOpenApi(version)));

export const getOpenApi = defineRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getOpenApi',
  tag: 'Pages',
  summary: 'This document',
  description: 'The OpenAPI 3.1 document of this API, for generators and tools.',
  auth: 'none',
  responses: {
    200: {
      description: 'The document.',
      media: ['application/json'],
      examples: { 'application/json': { openapi: '3.1.1', info: { title: 'Trunkline' } } },
    },
  },
  refusals: [],
}).handledBy(async ({ takesEncoding }, { operation: { version } }) => {
  const packed = await (document ??= readPacked(version));
  return { status: 200, media: 'application/json', ...(await packed(takesEncoding)) };
});
