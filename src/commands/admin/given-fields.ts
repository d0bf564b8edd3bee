/** Converts options to fields of the admin API and back: `--max-duration-sec` is `max_duration_sec`. */
import type * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { decode, type Decoded } from '#src/api/http/codec.ts';
import { validated, type OutputOf } from '#src/api/http/validated.ts';
import { type CommandArguments } from './command.ts';
import { UsageError } from '../parse-options.ts';

export const optionOf = (field: string): string => field.replaceAll('_', '-');

/** Parses an object such as `{"mode": "stop"}`. Other text is returned unchanged and rejected later. */
const objectOf = (written: string): unknown => {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
};

/** Parses numbers, booleans and objects by their syntax. */
const readAs = (written: string): unknown => {
  if (written === 'true' || written === 'false') return written === 'true';
  if (written.startsWith('{')) return objectOf(written);
  return /^-?\d{1,9}$/.test(written) ? Number(written) : written;
};

/**
 * Parses the value of a field. `default` becomes null for fields with an inherited value. Text fields are taken as
 * typed.
 */
const valueOf = (schema: z.ZodType, written: string): unknown => {
  if (written === 'default' && schema.safeParse(null).success) return null;
  return schema.safeParse(written).success ? written : readAs(written);
};

export type Fields = Readonly<Record<string, z.ZodType>>;

/** Returns those of the given options that belong to these fields. */
export const fieldsIn = ({ options }: CommandArguments, fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, schema]) => {
      const written = options[optionOf(field)];
      return typeof written === 'string' ? [[field, valueOf(schema, written)]] : [];
    }),
  );

/** Throws a UsageError for the first invalid option. */
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

/** Converts a refusal that names a field to an error that names the command's option. */
export const wrongOption = (refusal: Refusal): UsageError => {
  const [first] = refusal.extras.errors ?? [];
  return new UsageError(
    first === undefined ? refusal.message : `--${optionOf(first.path)}: ${first.message}`,
  );
};
