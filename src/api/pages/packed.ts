/** Static content for all clients, in the smallest encoding that each accepts. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './built-file.ts';

/** Nearly the smallest size, in a tenth of the time. */
const quality = 9;

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: quality }),
} as const;

type Packed = { body: Buffer; headers: Readonly<Record<string, string>> };

/** Each encoding is created once, on its first use. */
export const createPacked = (
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
