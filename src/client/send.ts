/** Sends one request to a gateway as the OpenAPI document describes its operation. */
import { problemOf } from './problem.ts';
import { operations } from './schema.ts';
import { answered } from './unreachable.ts';

export type OperationId = keyof typeof operations;

export type ClientOptions = {
  /** URL of the gateway, such as `https://gateway.example.com`; empty in a page served by the gateway. */
  baseUrl: string;
  /** A number key or an admin token. A function is called for each request and returns the key. */
  key?: string | (() => string | undefined) | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Called with fields and parameters that the gateway ignored because it does not know them. */
  onIgnoredFields?: ((names: string[], operation: OperationId) => void) | undefined;
};

export type RequestOptions = {
  /** Aborts the request or stream. */
  signal?: AbortSignal | undefined;
  /** Key for this request, instead of the client's key. */
  key?: string | undefined;
};

/** Members of a request: path, query and header parameters, and `body`. */
export type RequestMembers = Readonly<Record<string, unknown>>;

export type Send = (
  operation: OperationId,
  request?: RequestMembers,
  options?: RequestOptions & { accept?: string },
) => Promise<Response>;

/**
 * Sends requests. Throws `TrunklineProblem` for an error response, `TrunklineUnreachable` without a complete response,
 * the reason of `signal` when aborted, and a TypeError for a key or member that cannot be sent.
 */
export const createSend =
  ({
    baseUrl,
    key: usualKey,
    fetch: ask = (url, init) => fetch(url, init),
    onIgnoredFields,
  }: ClientOptions): Send =>
  async (operation, request = {}, options = {}) => {
    const { method, answer } = operations[operation];
    const { signal, accept = answer === 'json' ? 'application/json' : '*/*' } = options;
    const key = options.key ?? (typeof usualKey === 'function' ? usualKey() : usualKey);
    const { path, headers } = addressOf(operation, request);
    const { body } = request;
    const init: RequestInit = {
      method,
      // Headers are checked here, because `fetch` reports an invalid header value like a network failure.
      headers: new Headers({
        Accept: accept,
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    };
    const response = await answered(baseUrl, ask(`${baseUrl.replace(/\/$/, '')}${path}`, init));
    const ignored = response.headers.get('x-ignored-fields');
    if (ignored !== null) onIgnoredFields?.(ignored.split(', '), operation);
    if (!response.ok) throw await problemOf(response);
    return response;
  };

/** Distributes the members of a request to the parts of the URL. Members that are null or undefined are omitted. */
const addressOf = (operation: OperationId, request: RequestMembers) => {
  const { path: template, headers: headerNames } = operations[operation];
  const members = new Map(
    Object.entries(request).filter(([name, value]) => name !== 'body' && value != null),
  );
  const take = (name: string): string => {
    const value = members.get(name) ?? '';
    members.delete(name);
    return textOf(value);
  };
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    pathSegment(operation, name, take(name)),
  );
  const headers = Object.fromEntries(
    headerNames.filter((name) => members.has(name)).map((name) => [name, take(name)]),
  );
  const query = new URLSearchParams([...members].flatMap(parametersOf)).toString();
  return { path: query === '' ? path : `${path}?${query}`, headers };
};

/** Expands an object into one parameter per key: `metadata.order=42`. */
const parametersOf = ([name, value]: [string, unknown]): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, of]) => [`${name}.${key}`, textOf(of)])
    : [[name, textOf(value)]];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Encodes a path segment. Throws for empty segments and dots, which would change the path. */
const pathSegment = (operation: OperationId, name: string, text: string): string => {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${operation} needs "${name}", which cannot be "${text}".`);
  return encodeURIComponent(text);
};
