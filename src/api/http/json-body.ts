/**
 * Reads a JSON body. The usual parser is not used, because it decompresses, decodes other character sets, replaces
 * invalid bytes, and quotes the whole body in its errors. A body beyond the limit is discarded, so that a client that
 * is still sending receives its response on a reusable connection.
 */
import type { IncomingMessage } from 'node:http';
import { Refusal } from '#src/domain/refusal.ts';

/**
 * Reads a body; resolves to `undefined` for an empty body. Rejects with 413, with 415, or with 400 for invalid JSON.
 */
export const readJsonBody = async (request: IncomingMessage, limitBytes: number): Promise<unknown> => {
  const { 'content-type': type, 'content-encoding': coding, 'content-length': length } = request.headers;
  if (type !== undefined && !isJson(type)) throw notJson();
  if (coding !== undefined && coding.toLowerCase() !== 'identity') throw notJson();
  if (Number(length ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const bytes = await readAll(request, limitBytes);
  if (bytes.length === 0) return undefined;
  if (type === undefined) throw notJson();
  return parse(bytes);
};

/** Whether the content type is `application/json` in UTF-8, the only encoding of JSON (RFC 8259, 8.1). */
const isJson = (type: string): boolean => {
  const [essence = '', ...parameters] = type.toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  return (
    essence.trim() === 'application/json' && (charset === undefined || /=\s*"?utf-?8"?\s*$/.test(charset))
  );
};

const readAll = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const take = (chunk: Buffer): void => {
      received += chunk.length;
      if (received <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      request.resume();
      reject(tooLarge(limitBytes));
    };
    const endedEarly = (cause?: Error): void =>
      reject(new Refusal('invalid_request', 'The request body ended early.', { cause }));
    // No event follows if the client has gone away before, even if all of its body had arrived.
    if (request.destroyed) endedEarly();
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', endedEarly);
    // Has no effect after the end.
    request.once('close', () => endedEarly());
  });

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The message of the parser is replaced, because it quotes the body.
    throw new Refusal('invalid_request', 'The request body is not valid JSON.', {
      extras: { errors: [{ path: '', message: 'This is not valid JSON in UTF-8.' }] },
    });
  }
};

const tooLarge = (limitBytes: number): Refusal =>
  new Refusal('payload_too_large', `A request body may have up to ${limitBytes} bytes.`);

const notJson = (): Refusal =>
  new Refusal(
    'unsupported_media_type',
    'Send the body as JSON in UTF-8, uncompressed, with the header Content-Type: application/json.',
  );
