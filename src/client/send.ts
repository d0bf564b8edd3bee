/** One request to a gateway, from what the document says about its operation. */
import { problemOf } from './problem.ts';
import { operations } from './schema.ts';
import { answered } from './unreachable.ts';

export type OperationId = keyof typeof operations;

export type ClientOptions = {
  /** Of the gateway, such as `https://gateway.example.com`; empty in a page that the gateway itself served. */
  baseUrl: string;
  /** A number key or an admin token. A function is asked for each request. */
  key?: string | (() => string | undefined) | undefined;
  /** Instead of the `fetch` of the platform. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Called with the fields and parameters of a request that the gateway does not know and has ignored. */
  onIgnoredFields?: ((names: string[], operation: OperationId) => void) | undefined;
};

export type RequestOptions = {
  /** Ends the request, and a stream. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's key. */
  key?: string | undefined;
};

/** The members of a request: those of the path, the query, the headers, and `body`. */
export type RequestMembers = Readonly<Record<string, unknown>>;

export type Send = (
  operation: OperationId,
  request?: RequestMembers,
  options?: RequestOptions & { accept?: string },
) => Promise<Response>;

/**
 * Throws `TrunklineProblem`; `TrunklineUnreachable` where no answer came; the reason of `signal` where that was aborted; a
 * TypeError for a key or a member that no request can carry.
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
      // Made here: `fetch` rejects a key that no header can carry as it rejects a request that the network fails.
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

/** Where the members of a request go. What is null or undefined goes nowhere. */
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

/** A member that is an object is a parameter for each of its own: `metadata.order=42`. */
const parametersOf = ([name, value]: [string, unknown]): [string, string][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, of]) => [`${name}.${key}`, textOf(of)])
    : [[name, textOf(value)]];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What is empty or made of dots would ask for another address. */
const pathSegment = (operation: OperationId, name: string, text: string): string => {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${operation} needs "${name}", which cannot be "${text}".`);
  return encodeURIComponent(text);
};
