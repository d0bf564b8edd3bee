/**
 * Decompresses bodies that a server compressed without request (RFC 9110, section 8.4); some proxies do so. The reason
 * why undici's own interceptor is not used is in guides/design/decisions.md, "Own code beside undici".
 */
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as zlib from 'node:zlib';
import { EndpointFailure } from './endpoint-failure.ts';

/** Maximum number of codings of one body. More codings are treated as an attempt to keep the processor busy. */
const mostCodings = 2;

/**
 * Chooses the decoder of `deflate`, which is the zlib format. Some servers send raw deflate data instead; its first
 * byte differs from that of zlib.
 */
const inflate = (first: number): Transform =>
  (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();

const decoders: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => zlib.createGunzip(),
  'x-gzip': () => zlib.createGunzip(),
  deflate: inflate,
  br: () => zlib.createBrotliDecompress(),
  // Zstandard is available from Node 22.15 on.
  ...('createZstdDecompress' in zlib ? { zstd: () => zlib.createZstdDecompress() } : {}),
};

async function* decode(
  body: Readable,
  codings: readonly ((first: number) => Transform)[],
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body.iterator({ destroyOnReturn: false });
  async function* withFirst(first: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    yield first;
    yield* chunks;
  }
  try {
    const first: IteratorResult<Uint8Array, unknown> = await chunks.next();
    if (first.done === true) return;
    const [outermost, ...inner] = codings.map((decoderFor) => decoderFor(first.value[0] ?? 0));
    if (outermost === undefined) {
      yield* withFirst(first.value);
      return;
    }
    const decoders = [outermost, ...inner];
    const decoded = inner.at(-1) ?? outermost;
    // Errors of the pipeline are ignored here, because the last decoder emits them too.
    pipeline([Readable.from(withFirst(first.value)), ...decoders]).catch(() => undefined);
    try {
      yield* decoded;
    } finally {
      for (const decoder of decoders) decoder.destroy();
    }
  } finally {
    body.destroy();
  }
}

/**
 * Returns the decoded body as a stream. The reader limits its size and may stop at any time. Throws an EndpointFailure
 * `invalid_reply` for an unknown coding.
 */
export const decompress = (
  body: Readable,
  contentEncoding: string,
): AsyncGenerator<Uint8Array, void, undefined> => {
  const names = contentEncoding
    .toLowerCase()
    .split(',', mostCodings + 1)
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > mostCodings) {
    throw new EndpointFailure('invalid_reply', 'the response has too many content codings');
  }
  const codings = names.toReversed().map((name) => {
    const decoderFor = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    if (decoderFor === undefined) {
      throw new EndpointFailure(
        'invalid_reply',
        'the response is in a content coding that is not known here',
      );
    }
    return decoderFor;
  });
  return decode(body, codings);
};
