/**
 * A request that is repeated with its `Idempotency-Key` gets the stored answer, byte for byte, and does nothing
 * (decisions 2; draft-ietf-httpapi-idempotency-key-header-07). An answer that a repetition may improve on is not
 * stored: the request was not valid (400), came too often (429), or failed (5xx).
 */
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import {
  beginIdempotentRequest,
  finishIdempotentRequest,
  forgetIdempotentRequest,
} from '#src/persistence/idempotency.ts';
import type { ApiContext } from './context.ts';
import { asRefusal, problemMediaType, problemOf } from './problem.ts';
import type { Rendered } from './route.ts';
import type { Interior } from './interior.ts';
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

/** Runs `answer` unless it ran before with this key. Two requests are the same when their validated bodies are. */
export const once = async (
  ctx: ApiContext,
  { numberId, body }: { numberId: string; body: unknown },
  interior: Interior,
  answer: () => Promise<Rendered>,
): Promise<Rendered> => {
  const { 'idempotency-key': key } = validated(idempotencyHeader, ctx.headers);
  if (key === undefined) return answer();
  const { database, vault, logger } = interior;
  const record = { numberId, key };
  const fingerprint = vault.fingerprint(JSON.stringify(body));
  const before = await beginIdempotentRequest(database, { ...record, fingerprint });
  if (before.state === 'done') return replay(before.status, before.body);
  if (before.state === 'running') {
    throw new Refusal(
      'idempotency_in_progress',
      'The first request with this key is not answered yet. Try again soon.',
    );
  }
  if (before.state === 'reused') {
    throw new Refusal(
      'idempotency_key_reused',
      'This key was used with another body. Use a new key for a new request.',
    );
  }

  const settle = async (status: number, text: string): Promise<void> => {
    try {
      if (isFinal(status)) await finishIdempotentRequest(database, { ...record, status, body: text });
      else await forgetIdempotentRequest(database, record);
    } catch (error) {
      // What was asked for is done, or refused; to fail now would only invite another try.
      logger.error(
        { err: error, request_id: ctx.state.requestId },
        'the answer to an Idempotency-Key was not stored',
      );
    }
  };
  let rendered: Rendered;
  try {
    rendered = await answer();
  } catch (error) {
    const refusal = asRefusal(error);
    await settle(refusal.status, problemOf(refusal, ctx.state.requestId));
    throw error;
  }
  // Routes that honour the header answer with JSON, which is text here.
  if (typeof rendered.body === 'string') await settle(rendered.status, rendered.body);
  return rendered;
};

const isFinal = (status: number): boolean => status < 500 && status !== 400 && status !== 429;

const replay = (status: number, body: string): Rendered => ({
  status,
  headers: {
    'Content-Type': status < 400 ? 'application/json' : problemMediaType,
    'Idempotency-Replayed': 'true',
  },
  body,
});
