/** Adds an example to every request body, response and problem of an OpenAPI document. */
import type { oas32 } from 'zod-openapi';
import { problemMediaType } from './http/problem.ts';

type Schema = oas32.SchemaObject | oas32.ReferenceObject;
type Keywords = oas32.SchemaObjectValue;
type Schemas = Readonly<Record<string, Schema>>;

const uuid = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';

/**
 * Returns the example of a schema; `undefined` if none can be derived, for example for a text without an example. An
 * optional field without an example is omitted; a nullable field without one is null.
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

/** First bytes of files, which identify their format. */
const beginnings: Readonly<Record<string, string>> = {
  'text/html': '<!doctype html>…',
  'text/css': 'body { … }',
  'text/javascript': '"use strict"; …',
  'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
  'image/png': '\u{89}PNG…',
  'audio/ogg': 'OggS…',
  'audio/mpeg': 'ID3…',
  'audio/wav': 'RIFF…',
};

export const addExamples = (document: oas32.OpenAPIObject): void => {
  const schemas = document.components?.schemas ?? {};
  const problems = Object.entries(schemas).filter(([name]) => name.startsWith('Problem.'));
  document.components = {
    ...document.components,
    examples: Object.fromEntries(
      problems.map(([name, schema]) => [name, { value: exampleOf(schema, schemas) }]),
    ),
  };
  for (const content of Object.values(document.paths ?? {}).flatMap(contentsOf)) {
    for (const [type, media] of Object.entries(content)) addExample(type, media, schemas);
  }
};

/** Returns the content of all requests and responses of a path. */
const contentsOf = (path: oas32.PathItemObject): oas32.ContentObject[] =>
  [path.get, path.post, path.put, path.patch, path.delete].flatMap((operation) => {
    const described = [operation?.requestBody, ...Object.values(operation?.responses ?? {})];
    return described.map((one) => (one as oas32.ResponseObject | undefined)?.content ?? {});
  });

const addExample = (
  type: string,
  media: oas32.MediaTypeObject | oas32.ReferenceObject,
  schemas: Schemas,
): void => {
  if ('$ref' in media) return;
  if (type === problemMediaType) media.examples = problemExamples(media);
  else media.example ??= beginnings[type] ?? exampleOf(media.schema ?? {}, schemas);
};

/** Returns one example for each problem to which the schema refers, by the problem's code. */
const problemExamples = ({ schema }: oas32.MediaTypeObject): oas32.ExamplesObject => {
  const references = JSON.stringify(schema).matchAll(/#\/components\/schemas\/Problem\.(\w+)/g);
  const codes = new Set([...references].map(([, code = '']) => code));
  return Object.fromEntries(
    [...codes].map((code) => [code, { $ref: `#/components/examples/Problem.${code}` }]),
  );
};
