/** Field schemas that several endpoints share. */
import * as z from 'zod';
import { languages } from '#src/domain/language.ts';

const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();
const notStorable = { error: 'This text holds characters that cannot be stored.' };

/** Counted as JSON Schema counts: an emoji is one character, although it takes two code units. */
const hasAtMost = (longest: number, value: string): boolean =>
  value.length <= longest || (value.length <= 2 * longest && Array.from(value).length <= longest);

/** Text that a database can keep and JSON can carry: no NUL, no half of a surrogate pair. */
export const text = (longest: number) =>
  z
    .string()
    .refine((value) => hasAtMost(longest, value), {
      error: `Too big: expected string to have <=${longest} characters`,
    })
    .refine(isStorable, notStorable)
    .meta({ maxLength: longest });

/** A name that people give something. */
export const name = z
  .string()
  .trim()
  .min(1, { error: 'This is required.' })
  .max(100)
  .refine((value) => !/\p{Cc}/u.test(value) && isStorable(value), notStorable);

/** A secret that signs, in the form of Standard Webhooks, that nobody has. */
export const exampleSecret = 'whsec_dGhpcyBpcyBubyBzZWNyZXQsIGp1c3QgYW4gZXhhbXBsZQ==';

/** In an answer; the code has a Date instead (`codec.ts`). */
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
  .meta({ description: 'The language that is spoken, BCP 47.', example: 'en' });

/** A whole number in a query. */
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

/** 1970 to 9999: what both a Date and the database can hold. */
const representable = (instant: Date) => instant.getTime() >= 0 && instant.getTime() < Date.UTC(10_000, 0);

const beyond = { error: 'This is beyond the years 1970 to 9999.' };
const isoMoment = z.iso.datetime({
  offset: true,
  error: 'This is not an ISO 8601 timestamp with a UTC offset.',
});

/** A moment in a body. */
export const moment = isoMoment
  .transform((value) => new Date(value))
  .refine(representable, beyond)
  .meta({ override: { type: 'string', format: 'date-time' } });

/** A moment in a query. A `+` that arrives as a space, because nobody encoded it, is taken for what it was. */
export const momentInQuery = z
  .string()
  .transform((value) => value.replace(/ (?=\d\d:\d\d$)/, '+'))
  .pipe(isoMoment)
  .transform((value) => new Date(value))
  .refine(representable, beyond)
  .meta({ override: { type: 'string', format: 'date-time' } });

/** A day in a query, in a time zone that its list has. */
export const dayInQuery = z.iso
  .date({ error: 'This is no date, such as 2026-11-21.' })
  .refine((value) => value > '1970-01-01' && value < '9999-12-30', beyond)
  .meta({ override: { type: 'string', format: 'date' } });
