/**
 * A request that is repeated with its `Idempotency-Key` gets the stored answer, byte for byte, and does nothing
 * (guides/design/wire.md, "Repeated requests"; draft-ietf-httpapi-idempotency-key-header-07). A key is spent by the
 * call that it placed and by nothing else: whatever was refused has done nothing, so a repetition runs it anew and may
 * fare better.
 */
import * as z from 'zod';
import type { KeyedRequest } from '#src/calls/setup/repeated-requests.ts';
import type { Rendered } from './context.ts';
import type { ApiServices } from './api-services.ts';
import { validated } from './validated.ts';

/** A structured-field string (RFC 9651, 3.3.3), or the same without its quotation marks. */
const sent = z
  .string()
  .regex(/^(?:"(?:[ !#-[\]-~]|\\["\\])*"|[!#-~][!-~]*)$/, {
    error: 'Send one key of visible ASCII characters, bare or in quotation marks.',
  })
  .transform((text) => (text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text))
  .pipe(z.string().min(1).max(255))
  .meta({
    description:
      'Up to 255 characters. The same key and body within 24 hours give the same answer and place no second call.',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { minLength: 1, maxLength: 255 });
    },
  });

export const idempotencyHeader = z.object({ 'idempotency-key': sent.optional() });

/**
 * Runs `answer` unless it ran before with this key; it keeps the answer with what it does. Two requests are the same
 * when their validated bodies are.
 */
export const once = async (
  headers: unknown,
  { numberId, body }: { numberId: string; body: unknown },
  { repeatedRequests }: Pick<ApiServices, 'repeatedRequests'>,
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
