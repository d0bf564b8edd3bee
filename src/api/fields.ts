/** Field schemas shared by several endpoints. */
import * as z from 'zod';
import { languages } from '#src/domain/language.ts';
import { isStorable } from '#src/domain/storable-text.ts';

const notStorable = { error: 'This text holds characters that cannot be stored.' };

/**
 * Whether the text has at most this length in characters, as in JSON Schema: an emoji is one character, although it has
 * two code units.
 */
const hasAtMost = (longest: number, value: string): boolean =>
  value.length <= longest || (value.length <= 2 * longest && Array.from(value).length <= longest);

/** Text that the database can store and JSON can carry. NUL and lone surrogates are rejected. */
export const text = (longest: number) =>
  z
    .string()
    .refine((value) => hasAtMost(longest, value), {
      error: `Too big: expected string to have <=${longest} characters`,
    })
    .refine(isStorable, notStorable)
    .meta({ maxLength: longest });

/** A name given by a user. */
export const name = z
  .string()
  .trim()
  .min(1, { error: 'This is required.' })
  .max(100)
  .refine((value) => !/\p{Cc}/u.test(value) && isStorable(value), notStorable);

/** An example of a signing secret in the form of Standard Webhooks, which is not in use. */
export const exampleSecret = 'whsec_dGhpcyBpcyBubyBzZWNyZXQsIGp1c3QgYW4gZXhhbXBsZQ==';

/** A timestamp in a response. The code has a Date in its place (`codec.ts`). */
export const timestamp = z
  .string()
  .meta({
    description: 'ISO 8601 with the numeric UTC offset of the workspace.',
    format: 'date-time',
    example: '2026-11-21T12:00:00.000+09:00',
  })
  .brand<'timestamp'>();

export type Timestamp = z.output<typeof timestamp>;

export const language = z
  .enum(languages)
  .meta({ description: 'The spoken language, BCP 47.', example: 'en' });

/** An integer in a query. */
export const integerInQuery = (lowest: number, highest: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: 'This is not a whole number.' })
    .transform(Number)
    .pipe(z.int().min(lowest).max(highest))
    .default(fallback)
    .meta({
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: 'integer', minimum: lowest, maximum: highest, default: fallback });
      },
    });

/** Whether the instant lies in the years 1970 to 9999, the common range of Date and the database. */
const representable = (instant: Date) => instant.getTime() >= 0 && instant.getTime() < Date.UTC(10_000, 0);

const beyond = { error: 'This is beyond the years 1970 to 9999.' };
const isoMoment = z.iso.datetime({
  offset: true,
  error: 'This is not an ISO 8601 timestamp with a UTC offset.',
});

/** A timestamp in a body. */
export const moment = isoMoment
  .transform((value) => new Date(value))
  .refine(representable, beyond)
  .meta({ override: { type: 'string', format: 'date-time' } });

/** A timestamp in a query. A space is accepted as a `+` that the client did not encode. */
export const momentInQuery = z
  .string()
  .transform((value) => value.replace(/ (?=\d\d:\d\d$)/, '+'))
  .pipe(isoMoment)
  .transform((value) => new Date(value))
  .refine(representable, beyond)
  .meta({ override: { type: 'string', format: 'date-time' } });

/** A date in a query, in the time zone of the list that is queried. */
export const dayInQuery = z.iso
  .date({ error: 'This is no date, such as 2026-11-21.' })
  .refine((value) => value > '1970-01-01' && value < '9999-12-30', beyond)
  .meta({ override: { type: 'string', format: 'date' } });
