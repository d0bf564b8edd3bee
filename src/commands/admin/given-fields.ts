/** Options as fields of the admin API, and back: `--max-duration-sec` is `max_duration_sec`. */
import type * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { decode, type Decoded } from '#src/api/codec.ts';
import { validated, type OutputOf } from '#src/api/validated.ts';
import { type CommandArguments } from './command.ts';
import { UsageError } from '../parse-options.ts';

export const optionOf = (field: string): string => field.replaceAll('_', '-');

/** An object, as `{"mode": "stop"}`; what is none stays what it was, and is refused where an object is wanted. */
const objectOf = (written: string): unknown => {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
};

/**
 * What an option says: `default` falls back to what is below; whole numbers, true or false and objects are what they look
 * like.
 */
const valueOf = (written: string): unknown => {
  if (written === 'default') return null;
  if (written === 'true' || written === 'false') return written === 'true';
  if (written.startsWith('{')) return objectOf(written);
  return /^-?\d{1,9}$/.test(written) ? Number(written) : written;
};

/** Of these fields, those that were given; `texts` are taken as they were typed. */
export const fieldsIn = (
  { options }: CommandArguments,
  fields: readonly string[],
  texts: readonly string[] = [],
): Record<string, unknown> => {
  const written = fields.map((field) => [field, options[optionOf(field)]] as const);
  return Object.fromEntries(
    written.flatMap(([field, value]) =>
      typeof value === 'string' ? [[field, texts.includes(field) ? value : valueOf(value)]] : [],
    ),
  );
};

/** Throws a UsageError that names the first option that does not fit. */
export const checked = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Decoded<OutputOf<Schema>> => {
  try {
    return decode(schema, validated(schema, value));
  } catch (error) {
    if (error instanceof Refusal) throw wrongOption(error);
    throw error;
  }
};

/** A refusal of a field, in the words of these commands. */
export const wrongOption = (refusal: Refusal): UsageError => {
  const [first] = refusal.extras.errors ?? [];
  return new UsageError(
    first === undefined ? refusal.message : `--${optionOf(first.path)}: ${first.message}`,
  );
};
