/** Adds an example to every request body, response and problem of an OpenAPI document. */
import type { oas32 } from 'zod-openapi';
import { exampleOf, type Schemas } from './example.ts';
import { problemMediaType } from './http/problem.ts';

/** The first characters of a file identify its format. */
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

/** Content of requests and responses. */
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

/** One example for each problem that the schema refers to, by its code. */
const problemExamples = ({ schema }: oas32.MediaTypeObject): oas32.ExamplesObject => {
  const references = JSON.stringify(schema).matchAll(/#\/components\/schemas\/Problem\.(\w+)/g);
  const codes = new Set([...references].map(([, code = '']) => code));
  return Object.fromEntries(
    [...codes].map((code) => [code, { $ref: `#/components/examples/Problem.${code}` }]),
  );
};
