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
 * Adds the dotted paths of the members that the schema does not declare to `found`, as far as a header lists them. A
 * record declares no members, because its names are data.
 */
const addUndeclared = (schema: z.core.$ZodType, value: unknown, before: string, found: string[]): void => {
  if (typeof value !== 'object' || value === null || found.length > mostNames) return;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    addUndeclared(schema.unwrap(), value, before, found);
  else if (schema instanceof z.ZodPipe) addUndeclared(schema.in, value, before, found);
  else if (schema instanceof z.ZodUnion) {
    const fitting = schema.options.find((option) => z.safeParse(option, value).success);
    if (fitting !== undefined) addUndeclared(fitting, value, before, found);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      addUndeclared(schema.element, item, `${before}${index}.`, found);
  } else if (schema instanceof z.ZodObject && isObject(value)) {
    // A schema that refuses unknown members, or that accepts all members, ignores no member.
    const ignores = schema.def.catchall === undefined;
    for (const [name, member] of Object.entries(value)) {
      if (found.length > mostNames) return;
      const declared = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (declared !== undefined) addUndeclared(declared, member, `${before}${name}.`, found);
      else if (ignores) found.push(`${before}${name}`);
    }
  }
};

/** Adds the undeclared parameters of a query, in which a record is a parameter for each of its names. */
const addUndeclaredInQuery = (
  schema: z.ZodObject | undefined,
  query: Readonly<Record<string, unknown>>,
  found: string[],
): void => {
  const shape = schema?.shape ?? {};
  for (const name of Object.keys(query)) {
    if (found.length > mostNames) return;
    const [record = '', ...rest] = name.split('.');
    const field = Object.hasOwn(shape, record) ? shape[record] : undefined;
    const isDeclared = field !== undefined && (rest.length === 0 || isRecordField(field));
    if (!isDeclared) found.push(name);
  }
};

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
  const found: string[] = [];
  addUndeclaredInQuery(route.query, query, found);
  if (route.body !== undefined) addUndeclared(route.body, body, '', found);
  const names = found.slice(0, mostNames).map(inHeader);
  if (found.length > mostNames) names.push('...');
  return names.length === 0 ? undefined : names.join(', ');
};
