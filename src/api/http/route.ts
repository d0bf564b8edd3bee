/**
 * A single declaration of a route: its schemas validate the request, type the handler and generate the OpenAPI
 * document. The compiler checks a handler's result against the declared responses.
 */
import type { Readable } from 'node:stream';
import type * as z from 'zod';
import type { RefusalCode } from '#src/domain/refusal.ts';
import type { KeyedRequest } from '#src/calls/setup/repeated-requests.ts';
import type { Auth, CallerOf, Authenticators, Authentication } from './authenticate.ts';
import type { Browser } from './browser.ts';
import { decode, encode, type Decoded } from './codec.ts';
import type { ApiContext, Rendered } from './context.ts';
import { once } from './idempotency.ts';
import { gathered } from './gathered.ts';
import { ignoredFields, ignoredFieldsHeader } from './ignored-fields.ts';
import { readJsonBody } from './json-body.ts';
import type { ApiServices } from '../api-services.ts';
import { validated, type OutputOf } from './validated.ts';
import { withinCapacity } from './within-capacity.ts';

/**
 * Parses the parameters of a query string. The value of a repeated name is a list. Koa's own parser scans all
 * parameters for each parameter, which took a tenth of a second for a query of the maximum header size.
 */
const parseQuery = (queryString: string): Readonly<Record<string, string | string[]>> => {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(queryString)) {
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(
    [...found].map(([name, values]) => {
      const [first = ''] = values;
      return [name, values.length === 1 ? first : values] as const;
    }),
  );
};

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Response of a route: JSON by `schema`, other content by `media`. If both are declared, the client's preference
 * decides; if neither is, the response has no body.
 */
export type ResponseDeclaration = {
  description: string;
  schema?: z.ZodType;
  media?: readonly string[];
  /** Schema of files that are JSON, for the OpenAPI document. */
  mediaSchema?: z.ZodType;
  /** Examples by media type. JSON has the examples of its schema; a file has the first bytes of its type. */
  examples?: Readonly<Record<string, unknown>>;
  headers?: z.ZodObject;
};

type JsonBodyOf<Declared> = Declared extends { schema: infer Schema extends z.ZodType }
  ? { body: Decoded<z.output<Schema>>; media?: undefined }
  : never;

type MediaBodyOf<Declared> = Declared extends { media: readonly string[] }
  ? { body: Readable | Buffer | string | null; media: Declared['media'][number] }
  : never;

type BodyOf<Declared> = Declared extends { schema: z.ZodType } | { media: readonly string[] }
  ? JsonBodyOf<Declared> | MediaBodyOf<Declared>
  : { body?: undefined };

type AnswerOf<Responses> = {
  [Status in keyof Responses & number]: {
    status: Status;
    headers?: Readonly<Record<string, string>>;
    /** Time zone of the timestamps in the body; by default the client's. */
    timeZone?: string;
  } & BodyOf<Responses[Status]>;
}[keyof Responses & number];

/**
 * Returns the client's preferred media type: the first one if the client has no preference, `false` if the client
 * accepts none of them.
 */
export type Accepts = (...types: string[]) => string | false;

/** The request as the handler receives it: validated, typed, and with the code's names. */
export type RouteRequest<A extends Auth, Params, Query, Headers, Body> = {
  caller: CallerOf[A];
  params: Decoded<OutputOf<Params>>;
  query: Decoded<OutputOf<Query>>;
  headers: OutputOf<Headers>;
  body: Decoded<OutputOf<Body>>;
  /**
   * Whether the method is HEAD. The handler of GET also answers HEAD; handlers that open files need to know the method.
   */
  isHead: boolean;
  accepts: Accepts;
  /** Whether the client accepts this content encoding. */
  takesEncoding: (encoding: string) => boolean;
  /** Whether the key or token is still valid. Responses that may outlast the key use this function. */
  isStillValid: () => Promise<boolean>;
  browser: Browser;
  /** Counts one failed authentication for the client's address. Throws a Refusal with 429 beyond the limit. */
  countFailure: () => Promise<void>;
  /**
   * The request's `Idempotency-Key`, if the route supports it. The handler stores its response under this key together
   * with its effect.
   */
  keyed: KeyedRequest | null;
  /** Id of the request, as sent in the response. */
  requestId: string;
};

/**
 * A request of an authenticated client before its validation: an HTTP request, or one of several API requests within
 * one HTTP request (`mcp/own-fetch.ts`).
 */
export type UnvalidatedRequest = Pick<
  RouteRequest<Auth, undefined, undefined, undefined, undefined>,
  'isHead' | 'accepts' | 'takesEncoding' | 'isStillValid' | 'countFailure' | 'requestId'
> & {
  caller: CallerOf[Auth];
  params: unknown;
  query: Readonly<Record<string, unknown>>;
  headers: unknown;
  readBody: () => Promise<unknown>;
  readBrowser: () => Browser;
  /** Names the ignored fields in the response, whether the request succeeds or is refused. */
  nameIgnored: (value: string) => void;
};

type Declaration<A extends Auth, Params, Query, Headers, Body, Responses> = {
  method: Method;
  /** Path of the route, with `{name}` for parameters, as in OpenAPI. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  auth: A;
  params?: Params | undefined;
  query?: Query | undefined;
  headers?: Headers | undefined;
  /** Schema of the body. A schema that accepts `undefined` makes the body optional. */
  body?: Body | undefined;
  /** Fields of the body whose errors have a code of their own instead of `invalid_request`. */
  fieldCodes?: Readonly<Partial<Record<string, RefusalCode>>>;
  /**
   * Whether the route begins a call. A gateway at capacity refuses such a request before it authenticates the client,
   * because every look-up adds load.
   */
  beginsCall?: boolean;
  /**
   * Prepares shared data of the responses before the port opens, unless this gateway has resumed calls. Otherwise the
   * first request blocks the event loop and thereby all calls.
   */
  prepare?: (services: ApiServices) => Promise<void>;
  /**
   * Whether the route works for a call on this gateway while the database is unavailable. Only routes of a number key
   * may set this.
   */
  needsNoDatabase?: boolean;
  /** Whether the route supports `Idempotency-Key`. Only routes of a number key may set this. */
  idempotent?: boolean;
  responses: Responses;
  /**
   * Error codes in addition to those that follow from the declaration itself (authentication, validation, limits,
   * unexpected errors).
   */
  refusals: readonly RefusalCode[];
};

export type Route = Declaration<
  Auth,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  Readonly<Record<number, ResponseDeclaration>>
> & {
  serve(ctx: ApiContext, authentication: Authentication, services: ApiServices): Promise<Rendered>;
  /** Returns the response for an authorized client. */
  answer(asked: UnvalidatedRequest, services: ApiServices): Promise<Rendered>;
};

/** Defines a route in two steps, so that the compiler knows the whole declaration when it reads the handler. */
export const defineRoute = <
  A extends Auth,
  const Responses extends Readonly<Record<number, ResponseDeclaration>>,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Headers extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  route: Declaration<A, Params, Query, Headers, Body, Responses>,
): {
  handledBy(
    handle: (
      request: RouteRequest<A, Params, Query, Headers, Body>,
      services: ApiServices,
    ) => Promise<AnswerOf<Responses>> | AnswerOf<Responses>,
  ): Route;
} => ({
  handledBy: (handle) => ({
    ...route,
    async serve(ctx, authentication, services) {
      const answer = async (): Promise<Rendered> => {
        const authenticators: Authenticators = authentication;
        const caller = await authenticators[route.auth](ctx, {
          needsNoDatabase: route.needsNoDatabase === true,
        });
        return this.answer(askedBy(ctx, { caller, auth: route.auth }, authentication, services), services);
      };
      return route.beginsCall === true ? withinCapacity(services, answer) : answer();
    },
    async answer({ caller: anybody, readBody, readBrowser, nameIgnored, ...asked }, services) {
      // Type of the client that this route's authentication returns.
      const caller = anybody as CallerOf[A];
      const sentBody = route.body === undefined ? undefined : await readBody();
      const ignored = ignoredFields(route, asked.query, sentBody);
      if (ignored !== undefined) nameIgnored(ignored);
      const params = validated(route.params, asked.params);
      const query = validated(route.query, gathered(route.query, asked.query));
      const headers = validated(route.headers, asked.headers);
      const body = validated(route.body, sentBody, route.fieldCodes);
      const answer = async (keyed: KeyedRequest | null): Promise<Rendered> => {
        const request = {
          ...asked,
          caller,
          params: decode(route.params, params),
          query: decode(route.query, query),
          headers,
          body: decode(route.body, body),
          keyed,
          // The browser is read on demand, because most requests do not need it and reading it is expensive.
          get browser() {
            return readBrowser();
          },
        };
        const answered = await handle(request, services);
        const timeZone = answered.timeZone ?? caller?.workspace.timeZone;
        return render(answered, route.responses[answered.status]?.schema, timeZone);
      };
      if (route.idempotent !== true || caller === null) return answer(null);
      return once(asked.headers, { numberId: caller.id, body }, services, answer);
    },
  }),
});

const askedBy = (
  ctx: ApiContext,
  { caller, auth }: { caller: CallerOf[Auth]; auth: Auth },
  authentication: Authentication,
  services: ApiServices,
): UnvalidatedRequest => ({
  caller,
  params: ctx.params,
  query: parseQuery(ctx.querystring),
  headers: ctx.headers,
  readBody: () => readJsonBody(ctx.req, services.operation.limits.bodyBytes),
  readBrowser: () => services.operation.readBrowser(ctx.req),
  nameIgnored: (value) => ctx.set(ignoredFieldsHeader, value),
  isHead: ctx.method === 'HEAD',
  accepts: (...types) => ctx.accepts(...types),
  takesEncoding: (encoding) => ctx.acceptsEncodings(encoding) !== false,
  isStillValid: () => authentication.isStillValid(ctx, auth),
  countFailure: () => authentication.countFailure(ctx),
  requestId: ctx.state.requestId,
});

const render = (
  answer: { status: number; headers?: Readonly<Record<string, string>>; body?: unknown; media?: string },
  schema: z.ZodType | undefined,
  timeZone = 'UTC',
): Rendered => {
  const { status, headers = {}, body, media } = answer;
  if (media !== undefined) {
    return { status, headers: { 'Content-Type': media, ...headers }, body: body as Rendered['body'] };
  }
  if (body === undefined || schema === undefined) return { status, headers, body: null };
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(encode(schema, body, timeZone)),
  };
};
