/** Refusals as RFC 9457 problem documents: one format for all errors (guides/design/wire.md, "Errors"). */
import * as z from 'zod';
import { capacityLimits } from '#src/domain/capacity.ts';
import { destinationProblems } from '#src/domain/destinations.ts';
import { Refusal, refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';

export const problemMediaType = 'application/problem+json';

const fieldError = z
  .object({
    path: z.string().meta({
      description: 'Dotted path of the field; empty for the whole value.',
      example: 'max_duration_sec',
    }),
    message: z.string().meta({ example: 'This is not a whole number.' }),
  })
  .meta({ id: 'FieldError' });

/** Extension members of problems, for the codes that have some. */
const extrasOf: Partial<Record<RefusalCode, z.ZodRawShape>> = {
  invalid_request: {
    errors: z.array(fieldError).optional().meta({ description: 'Each field that does not validate.' }),
  },
  max_duration_exceeds_policy: {
    maximum: z.int().meta({ description: 'The longest duration that is allowed, in seconds.', example: 600 }),
  },
  destination_not_allowed: {
    reason: z.enum(destinationProblems).meta({
      description:
        'Reason of the refusal: a kind of number that the policy does not allow; `denied_prefix`; `emergency`: no emergency number is ever called; `no_country`: a satellite or an international network; `unknown`: no number of a subscriber.',
      example: 'premium',
    }),
  },
  concurrency_limit: {
    maximum: z.int().optional().meta({ description: 'Maximum number of calls in progress.', example: 3 }),
  },
  over_capacity: {
    reason: z.enum(capacityLimits).optional().meta({
      description:
        'The limit of the gateway that is reached, where a call was to begin: `calls` in progress, calls that are `beginning`, the `rate` of new calls, or what it has too much of: a late `event_loop`, `memory`, the `journal` of events that wait to be stored.',
      example: 'calls',
    }),
  },
  daily_limit_reached: {
    maximum: z.int().meta({ description: 'Minutes a day.', example: 600 }),
    resets_at: z.string().meta({
      description: 'Start of the next day of the workspace.',
      format: 'date-time',
      example: '2026-11-22T00:00:00.000+09:00',
    }),
  },
  stream_limit: {
    maximum: z.int().meta({ description: 'Maximum number of open streams of one key.', example: 20 }),
  },
  recording_not_available: {
    reason: z.enum(['pending', 'none', 'failed', 'erased']).meta({
      description:
        '`pending`: being prepared; `none`: there is no recording; `failed`: recording failed; `erased`: it was erased.',
    }),
  },
};

const describeProblem = (code: RefusalCode) => {
  const { status, title } = refusalCatalogue[code];
  return z
    .object({
      type: z.literal(`urn:trunkline:problem:${code}`),
      title: z.literal(title),
      status: z.literal(status),
      detail: z
        .string()
        .meta({ description: 'Explanation of this error, for people.', example: `${title}.` }),
      code: z.literal(code),
      request_id: z.string().meta({
        description: 'The same as the response header `X-Request-Id`.',
        example: '0b7c1f64-93d1-4c5e-8a53-5a8f3f1f2f10',
      }),
      ...extrasOf[code],
    })
    .meta({ id: `Problem.${code}` });
};

const described = new Map<RefusalCode, ReturnType<typeof describeProblem>>();

/**
 * Returns the schema of one code's problem. The function returns the same object each time, so that the document has
 * one component for each code.
 */
export const problemSchema = (code: RefusalCode): ReturnType<typeof describeProblem> => {
  const schema = described.get(code) ?? describeProblem(code);
  described.set(code, schema);
  return schema;
};

/**
 * Returns the refusal for an error. A refusal for an unexpected error reveals no internals; a refusal for a transient
 * database error invites a retry.
 */
export const asRefusal = (error: unknown, isPassing: (error: unknown) => boolean): Refusal => {
  if (error instanceof Refusal) return error;
  return isPassing(error)
    ? new Refusal('service_unavailable', 'The service is not available right now. Try again in a moment.', {
        headers: { 'Retry-After': '2' },
        cause: error,
      })
    : new Refusal('internal_error', 'Something went wrong here, not with the request.', { cause: error });
};

export const problemOf = (refusal: Refusal, requestId: string): string =>
  JSON.stringify({
    type: `urn:trunkline:problem:${refusal.code}`,
    title: refusalCatalogue[refusal.code].title,
    status: refusal.status,
    detail: refusal.message,
    code: refusal.code,
    request_id: requestId,
    ...refusal.extras,
  });
