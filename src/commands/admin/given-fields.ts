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

/** Whole numbers, true or false and objects are what they look like. */
const readAs = (written: string): unknown => {
  if (written === 'true' || written === 'false') return written === 'true';
  if (written.startsWith('{')) return objectOf(written);
  return /^-?\d{1,9}$/.test(written) ? Number(written) : written;
};

/** `default` is null where that is something: it falls back to what is below. A text is taken as it was typed. */
const valueOf = (schema: z.ZodType, written: string): unknown => {
  if (written === 'default' && schema.safeParse(null).success) return null;
  return schema.safeParse(written).success ? written : readAs(written);
};

export type Fields = Readonly<Record<string, z.ZodType>>;

/** Of these fields, those that were given. */
export const fieldsIn = ({ options }: CommandArguments, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) => {
      const written = options[optionOf(field)];
      return typeof written === 'string' ? [[field, valueOf(schema, written)]] : [];
    }),
  );

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
