/** The request for trying an operation, built from a form and also shown as a shell command. */
import type { FormValues } from '../parts/form.ts';
import { wrongField } from '../parts/form.ts';
import { resolved, type Operation, type Parameter, type Reference, type Schema } from './document.ts';

export type TrialValues = FormValues & Record<string, string>;

export const keyField = 'key';
/** Number whose key the session reveals for the request: its id, or `pasted` for a typed key. */
export const numberField = 'number';
export const pasted = 'pasted';
export const bodyField = 'body';
export const acceptField = 'accept';

export const fieldOf = ({ in: place, name }: Parameter): string => `${place}.${name}`;

/** Returns the required fields of an example. Optional fields are sent only if the user adds them. */
const requiredPart = (given: Schema, example: unknown, schemas: Reference['schemas']): unknown => {
  const schema = resolved(given, schemas);
  if (schema.properties === undefined || typeof example !== 'object' || example === null) return example;
  return Object.fromEntries(Object.entries(example).filter(([name]) => schema.required?.includes(name)));
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns the initial values of the form. Optional fields are empty. */
export const initialValues = (
  { parameters, body }: Operation,
  schemas: Reference['schemas'],
): TrialValues => ({
  ...Object.fromEntries(parameters.map((parameter) => [fieldOf(parameter), ''])),
  [bodyField]: body?.isRequired === true ? pretty(requiredPart(body.schema, body.example, schemas)) : '',
  [keyField]: '',
  [numberField]: pasted,
  [acceptField]: '',
});

/** Returns the media types with which an operation can respond. */
export const mediaOf = ({ answers }: Operation): string[] => [
  ...new Set(answers.flatMap(({ media }) => media ?? [])),
];

export type Prepared = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
};

/** Adds query parameters. Each pair of a value like `a=1, b=2` is a parameter of its own. */
const addQuery = (query: URLSearchParams, { name, schema }: Parameter, value: string): void => {
  if (schema.type !== 'object') return query.append(name, value);
  for (const pair of value.split(',')) {
    const [key = '', ...rest] = pair.split('=');
    query.append(`${name}.${key.trim()}`, rest.join('=').trim());
  }
};

/** Prepares the request. `instead` replaces a path parameter that is still empty. */
const prepared = (
  { method, path, parameters, body }: Operation,
  values: TrialValues,
  instead: (name: string) => string,
): Prepared => {
  const valueOf = (parameter: Parameter): string => values[fieldOf(parameter)]?.trim() ?? '';
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let filled = path;
  for (const parameter of parameters) {
    const value = valueOf(parameter);
    if (parameter.in === 'path')
      filled = filled.replace(
        `{${parameter.name}}`,
        value === '' ? instead(parameter.name) : encodeURIComponent(value),
      );
    else if (value !== '' && parameter.in === 'query') addQuery(query, parameter, value);
    else if (value !== '') headers[parameter.name] = value;
  }
  const accept = values[acceptField] ?? '';
  if (accept !== '') headers['Accept'] = accept;
  const json = values[bodyField]?.trim() ?? '';
  const hasBody = body !== null && json !== '';
  if (hasBody) headers['Content-Type'] = 'application/json';
  return {
    method,
    url: filled + (query.size === 0 ? '' : `?${query.toString()}`),
    headers,
    ...(hasBody ? { body: json } : {}),
  };
};

/**
 * Returns the request, without the key of a chosen number. Throws errors for the form's fields: missing values, and a body
 * that is not JSON.
 */
export const requestOf = (operation: Operation, values: TrialValues): Prepared => {
  const required = operation.parameters.filter((parameter) => parameter.required === true).map(fieldOf);
  const isPasted = values[numberField] === pasted;
  if (operation.auth === 'numberKey' && isPasted) required.push(keyField);
  if (operation.body?.isRequired === true) required.push(bodyField);
  const missing = required.find((name) => values[name]?.trim() === '');
  if (missing !== undefined) throw wrongField(missing, 'This is required.');
  const request = prepared(operation, values, (name) => name);
  try {
    if (request.body !== undefined) JSON.parse(request.body);
  } catch (error) {
    throw wrongField(bodyField, `This is no JSON. ${error instanceof Error ? error.message : ''}`.trim());
  }
  const key = values[keyField]?.trim() ?? '';
  return isPasted && key !== '' ? withKey(request, key) : request;
};

export const withKey = (request: Prepared, key: string): Prepared => ({
  ...request,
  headers: { ...request.headers, Authorization: `Bearer ${key}` },
});

/** Quotes a text for the shell. Single quotes work in every POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shell variables that replace credentials, so that the command can be shared without the typed key. */
const variables = { numberKey: 'NUMBER_KEY', adminToken: 'ADMIN_TOKEN' } as const;

export const curlOf = (operation: Operation, values: TrialValues, origin: string): string => {
  const { method, url, headers, body } = prepared(operation, values, (name) => name.toUpperCase());
  const { auth } = operation;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(origin + url)}`,
    ...(auth === 'none' ? [] : [`-H "Authorization: Bearer $${variables[auth]}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
};
