/** Converts a JSON Schema to the text of a TypeScript type. */
import type { oas32 } from 'zod-openapi';

export type Schema = oas32.SchemaObject | oas32.ReferenceObject;

export const typeText = (schema: Schema | undefined): string => {
  if (schema === undefined || typeof schema === 'boolean') return 'unknown';
  const { $ref, anyOf, oneOf, const: fixed, enum: values, type }: oas32.SchemaObjectValue = schema;
  if ($ref !== undefined) return $ref.replace('#/components/schemas/', '');
  const options = anyOf ?? oneOf;
  if (options !== undefined) return union(options.map(typeText));
  if (fixed !== undefined) return JSON.stringify(fixed);
  if (values !== undefined) return union(values.map((value: unknown) => JSON.stringify(value)));
  return union([type].flat().map((one) => plainType(one, schema)));
};

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const plainType = (
  type: oas32.SchemaObjectType | undefined,
  { items, properties, required = [], additionalProperties }: oas32.SchemaObjectValue,
): string => {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeText(items)})[]`;
    case 'object': {
      if (properties === undefined) return `Record<string, ${typeText(additionalProperties)}>`;
      const fields = Object.entries(properties);
      return fieldsText(
        fields.map(([name, field]) => ({ name, schema: field, isRequired: required.includes(name) })),
      );
    }
    default:
      return type ?? 'unknown';
  }
};

export type Field = { name: string; schema: Schema | undefined; isRequired: boolean };

/** Text of an object type with these fields. */
export const fieldsText = (fields: readonly Field[]): string => `{${fields.map(fieldText).join('')}\n}`;

const fieldText = ({ name, schema, isRequired }: Field): string => {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  const text = typeText(schema);
  const description = typeof schema === 'object' ? schema.description : undefined;
  const type = isRequired || text === 'unknown' ? text : `${text} | undefined`;
  return `\n${comment(description)}${key}${isRequired ? '' : '?'}: ${type};`;
};

/** A documentation comment with a line break; empty without text. */
export const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;
