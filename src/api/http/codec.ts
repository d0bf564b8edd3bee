/**
 * Converts between the API and the code: snake_case names and timestamps in the API, camelCase names and Dates in the
 * code. A schema describes the wire format, and both directions follow it. The schemas of a route decode its handler's
 * input and encode its result, so only the declared fields of a record leave the gateway.
 */
import * as z from 'zod';
import { camelCase, type CamelCase } from '#src/domain/field-names.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { Timestamp } from '../fields.ts';
import type { OutputOf } from './validated.ts';

type Unchanged = string | number | bigint | boolean | symbol | null | undefined | Date;

/** The code's type of a wire type. An absent optional field is omitted, never `undefined`. */
export type Decoded<Wire> = Wire extends Timestamp
  ? Date
  : Wire extends Unchanged
    ? Wire
    : Wire extends readonly (infer Item)[]
      ? Decoded<Item>[]
      : Wire extends object
        ? string extends keyof Wire
          ? Wire
          : { [Name in keyof Wire as CamelCase<Name>]: Decoded<Exclude<Wire[Name], undefined>> }
        : Wire;

type Codec = {
  decode: (wire: unknown) => unknown;
  encode: (value: unknown, timeZone: string) => unknown;
};

const leaf: Codec = {
  decode: (wire) => wire,
  encode: (value, timeZone) => (value instanceof Date ? timestampIn(timeZone, value) : value),
};

const arrayOf = (item: Codec): Codec => ({
  decode: (wire) => (Array.isArray(wire) ? wire.map(item.decode) : wire),
  encode: (value, timeZone) =>
    Array.isArray(value) ? value.map((one: unknown) => item.encode(one, timeZone)) : value,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const objectOf = (shape: Readonly<Record<string, z.core.$ZodType>>): Codec => {
  const fields = Object.entries(shape).map(([outside, schema]) => ({
    outside,
    inside: camelCase(outside),
    codec: codecOf(schema),
  }));
  return {
    decode(wire) {
      if (!isObject(wire)) return wire;
      const value: Record<string, unknown> = {};
      for (const { outside, inside, codec } of fields)
        if (wire[outside] !== undefined) value[inside] = codec.decode(wire[outside]);
      return value;
    },
    encode(value, timeZone) {
      if (!isObject(value)) return value;
      const wire: Record<string, unknown> = {};
      for (const { outside, inside, codec } of fields)
        if (value[inside] !== undefined) wire[outside] = codec.encode(value[inside], timeZone);
      return wire;
    },
  };
};

const made = new WeakMap<z.core.$ZodType, Codec>();

const codecOf = (schema: z.core.$ZodType): Codec => {
  const codec = made.get(schema) ?? makeCodec(schema);
  made.set(schema, codec);
  return codec;
};

/**
 * Values other than objects and lists are not converted. Records are not converted either, because their names are
 * data.
 */
const makeCodec = (schema: z.core.$ZodType): Codec => {
  if (schema instanceof z.ZodObject) return objectOf(schema.shape);
  if (schema instanceof z.ZodArray) return arrayOf(codecOf(schema.element));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return codecOf(schema.unwrap());
  return leaf;
};

/** Decodes a value that this schema has validated. */
export const decode = <Schema extends z.ZodType | undefined>(
  schema: Schema | undefined,
  wire: OutputOf<Schema>,
): Decoded<OutputOf<Schema>> =>
  // A cast is necessary, because the compiler cannot follow names that are computed at run time.
  (schema === undefined ? undefined : codecOf(schema).decode(wire)) as Decoded<OutputOf<Schema>>;

/** Encodes a value and omits fields that the schema does not declare. Timestamps are written in the given time zone. */
export const encode = <Schema extends z.ZodType>(
  schema: Schema,
  value: Decoded<z.output<Schema>>,
  timeZone: string,
): z.input<Schema> => codecOf(schema).encode(value, timeZone) as z.input<Schema>;
