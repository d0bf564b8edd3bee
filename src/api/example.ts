/** Builds an example of a schema from the examples of its fields, so that each operation has a valid one. */
import type { oas32 } from 'zod-openapi';

type Schema = oas32.SchemaObject | oas32.ReferenceObject;
type Keywords = oas32.SchemaObjectValue;
export type Schemas = Readonly<Record<string, Schema>>;

const uuid = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';

/**
 * `undefined` if no example can be derived, such as for a text without an example: an optional field is then omitted,
 * and a nullable one is null.
 */
export const exampleOf = (schema: Schema, schemas: Schemas): unknown => {
  if (typeof schema === 'boolean') return undefined;
  const { example, $ref, anyOf, oneOf }: Keywords = schema;
  if (example !== undefined) return example;
  const named = $ref === undefined ? undefined : schemas[$ref.replace('#/components/schemas/', '')];
  if (named !== undefined) return exampleOf(named, schemas);
  const options = anyOf ?? oneOf;
  if (options !== undefined) {
    return options.map((option) => exampleOf(option, schemas)).find((value) => value !== undefined);
  }
  return plainExample(schema, schemas);
};

const plainExample = (schema: Keywords, schemas: Schemas): unknown => {
  const fixed: unknown = schema.const ?? schema.default ?? schema.enum?.[0];
  if (fixed !== undefined) return fixed;
  const types = [schema.type].flat();
  const value = exampleOfType(types[0], schema, schemas);
  return value === undefined && types.includes('null') ? null : value;
};

const exampleOfType = (
  type: oas32.SchemaObjectType | undefined,
  schema: Keywords,
  schemas: Schemas,
): unknown => {
  switch (type) {
    case 'object':
      return objectExample(schema, schemas);
    case 'array': {
      const item = schema.items === undefined ? undefined : exampleOf(schema.items, schemas);
      return item === undefined ? [] : [item];
    }
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return schema.minimum;
    case 'string':
      return schema.format === 'uuid' ? uuid : undefined;
    default:
      return type === 'null' ? null : undefined;
  }
};

const objectExample = (schema: Keywords, schemas: Schemas): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .map(([name, property]) => [name, exampleOf(property, schemas)] as const)
      .filter(([, value]) => value !== undefined),
  );
