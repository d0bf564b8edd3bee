/**
 * An API client that checks every response against the declared routes: its status, media type, fields and codes must
 * be declared, and it must not contain undeclared ones. A test that uses it therefore checks the API document, too.
 */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { problemMediaType, problemSchema } from '#src/api/http/problem.ts';
import type { ResponseDeclaration, Route } from '#src/api/http/route.ts';
import { refusalsOf } from '#src/api/refusals-of.ts';
import { routes } from '#src/api/routes.ts';
import { refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';

export type ApiResponse = {
  status: number;
  headers: Headers;
  /** Parsed JSON of the response; empty for other media types. */
  body: Record<string, unknown>;
  bytes: Buffer;
};

export type SendOptions = {
  headers?: Record<string, string>;
  /** Body that is sent as JSON. */
  body?: unknown;
  /** Body that is sent unchanged instead of `body`. */
  raw?: string | Buffer;
};

export type ApiClient = {
  send(method: string, path: string, options?: SendOptions): Promise<ApiResponse>;
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  put(path: string, body?: unknown): Promise<ApiResponse>;
  patch(path: string, body?: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
  /** A client of the same gateway with another key, or with none. */
  as(key: string | undefined): ApiClient;
};

/** `key` is a number key or an admin token. */
export const apiClient = (baseUrl: string, key?: string): ApiClient => {
  const send = async (method: string, path: string, options: SendOptions = {}): Promise<ApiResponse> => {
    const { body, raw } = options;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(raw === undefined && body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status, headers } = response;
    const answer = { status, headers, bytes, body: jsonIn(headers, bytes) };
    try {
      check(method, path, answer);
    } catch (cause) {
      const shown = bytes.subarray(0, 2_000).toString();
      throw new Error(`${method} ${path} was answered ${status} with ${shown}`, { cause });
    }
    return answer;
  };
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body, headers = {}) => send('POST', path, { body, headers }),
    put: (path, body) => send('PUT', path, { body }),
    patch: (path, body) => send('PATCH', path, { body }),
    delete: (path) => send('DELETE', path),
    as: (other) => apiClient(baseUrl, other),
  };
};

const mediaTypeOf = (headers: Headers): string => headers.get('content-type')?.split(';')[0] ?? '';

const jsonIn = (headers: Headers, bytes: Buffer): Record<string, unknown> => {
  if (bytes.length === 0 || !/^application\/(problem\+)?json$/.test(mediaTypeOf(headers))) return {};
  return z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString()));
};

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

const routeOf = (method: string, path: string): Route | undefined => {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase();
  const pathname = path.split('?')[0] ?? '';
  return patterns.find(({ route, pattern }) => route.method === wanted && pattern.test(pathname))?.route;
};

const check = (method: string, path: string, answer: ApiResponse): void => {
  assert.match(answer.headers.get('x-request-id') ?? '', /^\S+$/, 'it has no X-Request-Id');
  const route = routeOf(method, path);
  if (method === 'OPTIONS' && answer.status === 204) return;
  const declared = route?.responses[answer.status];
  if (declared !== undefined) return checkDeclared(method, declared, answer);
  return checkProblem(method, route, answer);
};

const checkDeclared = (method: string, declared: ResponseDeclaration, answer: ApiResponse): void => {
  const { schema, media, headers } = declared;
  if (headers !== undefined) headers.parse(namedAs(Object.keys(headers.shape), answer.headers));
  if (schema === undefined && media === undefined)
    return assert.equal(answer.bytes.length, 0, 'it has a body');
  const types = [...(schema === undefined ? [] : ['application/json']), ...(media ?? [])];
  const type = mediaTypeOf(answer.headers);
  assert.ok(types.includes(type), `it should be ${types.join(' or ')}`);
  if (schema !== undefined && media?.includes(type) !== true && method !== 'HEAD')
    checkBody(schema, answer.body);
};

const namedAs = (names: readonly string[], headers: Headers): Record<string, string | undefined> =>
  Object.fromEntries(names.map((name) => [name, headers.get(name) ?? undefined]));

const checkProblem = (method: string, route: Route | undefined, answer: ApiResponse): void => {
  assert.equal(mediaTypeOf(answer.headers), problemMediaType);
  if (method === 'HEAD') return;
  const { code } = z.object({ code: z.custom<RefusalCode>(isCode) }).parse(answer.body);
  const codes = route === undefined ? unroutedCodes : refusalsOf(route);
  assert.ok(codes.includes(code), `"${code}" is not declared`);
  assert.equal(answer.status, refusalCatalogue[code].status);
  // A replayed response is identical to the first one, including its request id.
  if (!answer.headers.has('idempotency-replayed')) {
    assert.equal(answer.body.request_id, answer.headers.get('x-request-id'));
  }
  checkBody(problemSchema(code), answer.body);
};

/** Possible error codes without a route. */
const unroutedCodes: RefusalCode[] = ['not_found', 'method_not_allowed', 'invalid_request'];

const isCode = (value: unknown): boolean =>
  typeof value === 'string' && Object.hasOwn(refusalCatalogue, value);

/** Parsing removes undeclared fields, so that a difference reveals them. */
const checkBody = (schema: z.ZodType, body: unknown): void => {
  const parsed = schema.parse(body);
  assert.ok(isDeepStrictEqual(parsed, body), 'it has fields that are not declared');
};
