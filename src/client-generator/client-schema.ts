/**
 * Generates the client's types and operation table from the OpenAPI document.
 *
 * openapi-typescript (7.13) needs TypeScript 5 in a workspace of its own (36 packages, 25 MB) and generates only types,
 * so the operation table would still be generated here; openapi-fetch would be a runtime dependency of the client.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { z } from 'zod';
import type { oas32 } from 'zod-openapi';

type Schema = oas32.SchemaObject | oas32.ReferenceObject;

/** Converts a JSON Schema to the text of a TypeScript type. */
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

type Field = { name: string; schema: Schema | undefined; isRequired: boolean };

/** Text of an object type with these fields. */
const fieldsText = (fields: readonly Field[]): string => `{${fields.map(fieldText).join('')}\n}`;

const fieldText = ({ name, schema, isRequired }: Field): string => {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  const text = typeText(schema);
  const description = typeof schema === 'object' ? schema.description : undefined;
  const type = isRequired || text === 'unknown' ? text : `${text} | undefined`;
  return `\n${comment(description)}${key}${isRequired ? '' : '?'}: ${type};`;
};

/** A documentation comment with a line break; empty without text. */
const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/')} */\n`;

const problemPrefix = 'Problem.';

/** Text of src/client/schema.ts before formatting. */
export const clientSchema = (document: oas32.OpenAPIObject): string => {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const types = schemas
    .filter(([name]) => !name.startsWith(problemPrefix))
    .map(([name, schema]) => `${comment(descriptionOf(schema))}export type ${name} = ${typeText(schema)};`);
  const codes = schemas
    .filter(([name]) => name.startsWith(problemPrefix))
    .map(([name]) => JSON.stringify(name.slice(problemPrefix.length)));
  const operations = operationsOf(document);
  return [
    '// Made from the OpenAPI document by `npm run generate-client`.',
    ...types,
    comment('Codes of problems.') + `export type ProblemCode = ${codes.join(' | ')};`,
    comment('Parameters and responses of each operation.') +
      `export type Operations = {${operations.map(operationType).join('')}\n};`,
    comment('Methods and paths of the operations.') +
      `export const operations = {${operations.map(operationEntry).join('')}\n} as const;`,
  ].join('\n\n');
};

const descriptionOf = (schema: oas32.SchemaObject | oas32.ReferenceObject): string | undefined =>
  typeof schema === 'object' ? schema.description : undefined;

type Operation = oas32.OperationObject & { operationId: string; method: string; path: string };

const operationsOf = (document: oas32.OpenAPIObject): Operation[] =>
  Object.entries(document.paths ?? {}).flatMap(([path, { get, post, put, patch, delete: remove }]) =>
    Object.entries({ GET: get, POST: post, PUT: put, PATCH: patch, DELETE: remove }).flatMap(
      ([method, operation]) =>
        operation?.operationId === undefined
          ? []
          : [{ ...operation, operationId: operation.operationId, method, path }],
    ),
  );

/** References are not resolved, because this part of the document has no references. */
const inPlace = <Value extends object>(value: Value | oas32.ReferenceObject | undefined): Value | undefined =>
  value === undefined || '$ref' in value ? undefined : value;

const parametersOf = ({ parameters = [] }: Operation): oas32.ParameterObject[] =>
  parameters.flatMap((parameter) => inPlace<oas32.ParameterObject>(parameter) ?? []);

const requestFields = (operation: Operation): Field[] => {
  const fields = parametersOf(operation).map(({ name, schema, required = false }) => ({
    name,
    schema,
    isRequired: required,
  }));
  const body = inPlace<oas32.RequestBodyObject>(operation.requestBody);
  if (body !== undefined) {
    const json = inPlace<oas32.MediaTypeObject>(body.content['application/json']);
    fields.push({ name: 'body', schema: json?.schema, isRequired: body.required ?? false });
  }
  const names = fields.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`${operation.operationId} has a name twice`);
  return fields;
};

type Answer = { kind: 'json' | 'file' | 'either' | 'nothing'; type: string };

/**
 * The response of the first success status: JSON, a file, or either by request. An event stream beside JSON has its own
 * method.
 */
const answerOf = ({ responses = {} }: Operation): Answer => {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const { content = {} } = inPlace<oas32.ResponseObject>(success) ?? {};
  const json = inPlace<oas32.MediaTypeObject>(content['application/json']);
  const files = Object.keys(content).filter(
    (type) => !['application/json', 'text/event-stream'].includes(type),
  );
  if (json !== undefined && files.length > 0)
    return { kind: 'either', type: `${typeText(json.schema)} | Response` };
  if (json !== undefined) return { kind: 'json', type: typeText(json.schema) };
  return Object.keys(content).length === 0
    ? { kind: 'nothing', type: 'undefined' }
    : { kind: 'file', type: 'Response' };
};

const operationType = (operation: Operation): string => {
  const { operationId, summary, description } = operation;
  const fields = requestFields(operation);
  const request = [
    ...(fields.length === 0 ? [] : [fieldsText(fields)]),
    ...(fields.some(({ isRequired }) => isRequired) ? [] : ['undefined']),
  ].join(' | ');
  return `\n${comment(`${summary}. ${description}`)}${operationId}: { request: ${request}; answer: ${answerOf(operation).type} };`;
};

const operationEntry = (operation: Operation): string => {
  const headers = parametersOf(operation).filter((parameter) => parameter.in === 'header');
  return `\n${operation.operationId}: ${JSON.stringify({
    method: operation.method,
    path: operation.path,
    headers: headers.map(({ name }) => name),
    answer: answerOf(operation).kind,
  })},`;
};

/** Path of the generated file. */
export const schemaFile = fileURLToPath(new URL('../client/schema.ts', import.meta.url));

const settingsFile = fileURLToPath(new URL('../../.oxfmtrc.json', import.meta.url));
const formatOptions = z.object({ singleQuote: z.boolean(), printWidth: z.number() });

/** The content of the generated file in the project's format. */
export const generatedSchema = async (document: oas32.OpenAPIObject): Promise<string> => {
  const options = formatOptions.parse(JSON.parse(await readFile(settingsFile, 'utf8')));
  const { code, errors } = await format(schemaFile, clientSchema(document), options);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return code;
};
