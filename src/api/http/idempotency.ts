/**
 * Idempotent requests. A request repeated with its `Idempotency-Key` receives the stored response, byte for byte,
 * without further effect (guides/design/wire.md, "Repeated requests"; draft-ietf-httpapi-idempotency-key-header-07).
 * Only a placed call uses up its key: a refused request had no effect, so a repetition runs again and may succeed.
 */
import * as z from 'zod';
import type { KeyedRequest } from '#src/calls/setup/repeated-requests.ts';
import type { Rendered } from './context.ts';
import type { ApiServices } from '../api-services.ts';
import { validated } from './validated.ts';

/** Parses a key: a structured-field string (RFC 9651, 3.3.3), or the same text without quotation marks. */
const sent = z
  .string()
  .regex(/^(?:"(?:[ !#-[\]-~]|\\["\\])*"|[!#-~][!-~]*)$/, {
    error: 'Send one key of visible ASCII characters, bare or in quotation marks.',
  })
  .transform((text) => (text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text))
  .pipe(z.string().min(1).max(255))
  .meta({
    description:
      'Up to 255 characters. The same key and body within 24 hours return the same response and place no second call.',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { minLength: 1, maxLength: 255 });
    },
  });

export const idempotencyHeader = z.object({ 'idempotency-key': sent.optional() });

/**
 * Runs `answer` unless a request with this key has already run. `answer` stores its response together with its effect.
 * Two requests are equal if their validated bodies are equal.
 */
export const once = async (
  headers: unknown,
  { numberId, body }: { numberId: string; body: unknown },
  { calls: { repeatedRequests } }: ApiServices,
  answer: (keyed: KeyedRequest | null) => Promise<Rendered>,
): Promise<Rendered> => {
  const { 'idempotency-key': key } = validated(idempotencyHeader, headers);
  if (key === undefined) return answer(null);
  const found = await repeatedRequests.find({ numberId, key, text: JSON.stringify(body) });
  if ('keyed' in found) return answer(found.keyed);
  return {
    status: found.answer.responseStatus,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Replayed': 'true' },
    body: found.answer.responseBody,
  };
};
