/**
 * Lists ignored request fields. A field that the route does not declare is ignored, so that a client may be newer than
 * its gateway. A response header lists the names of such fields, so that a misspelt field is noticed
 * (guides/design/wire.md, "Ignored fields").
 */
import * as z from 'zod';
import { isRecordField } from './gathered.ts';

export const ignoredFieldsHeader = 'X-Ignored-Fields';

/** Maximum number of listed names; `...` after them shows that there are more. */
const mostNames = 20;
const longestName = 64;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns dotted paths of the members that the schema does not declare. A record declares no members, because its names
 * are data.
 */
function* undeclared(schema: z.core.$ZodType, value: unknown, before = ''): Generator<string> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    yield* undeclared(schema.unwrap(), value, before);
  else if (schema instanceof z.ZodPipe) yield* undeclared(schema.in, value, before);
  else if (schema instanceof z.ZodUnion) {
    const fitting = schema.options.find((option) => z.safeParse(option, value).success);
    if (fitting !== undefined) yield* undeclared(fitting, value, before);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* undeclared(schema.element, item, `${before}${index}.`);
  } else if (schema instanceof z.ZodObject && isObject(value)) {
    // A schema that refuses unknown members, or that accepts all members, ignores no member.
    const ignores = schema.def.catchall === undefined;
    for (const [name, member] of Object.entries(value)) {
      const declared = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (declared !== undefined) yield* undeclared(declared, member, `${before}${name}.`);
      else if (ignores) yield `${before}${name}`;
    }
  }
}

/** Lists the undeclared parameters of a query, in which a record is a parameter for each of its names. */
function* undeclaredInQuery(
  schema: z.ZodObject | undefined,
  query: Readonly<Record<string, unknown>>,
): Generator<string> {
  const shape = schema?.shape ?? {};
  for (const name of Object.keys(query)) {
    const [record = '', ...rest] = name.split('.');
    const field = Object.hasOwn(shape, record) ? shape[record] : undefined;
    const isDeclared = field !== undefined && (rest.length === 0 || isRecordField(field));
    if (!isDeclared) yield name;
  }
}

/** Percent-encodes characters that a header or a list in it cannot contain. */
const inHeader = (name: string): string => {
  let text = '';
  for (const character of name) {
    const encoded = encodeURIComponent(character.toWellFormed());
    if (text.length + encoded.length > longestName) return `${text}...`;
    text += encoded;
  }
  return text === '' ? '""' : text;
};

/** Returns the value of the header; undefined if no field is ignored. */
export const ignoredFields = (
  route: { query?: z.ZodObject | undefined; body?: z.ZodType | undefined },
  query: Readonly<Record<string, unknown>>,
  body: unknown,
): string | undefined => {
  const names: string[] = [];
  const found = function* (): Generator<string> {
    yield* undeclaredInQuery(route.query, query);
    if (route.body !== undefined) yield* undeclared(route.body, body);
  };
  for (const name of found()) {
    if (names.length === mostNames) {
      names.push('...');
      break;
    }
    names.push(inHeader(name));
  }
  return names.length === 0 ? undefined : names.join(', ');
};
