/**
 * A route is declared once: its schemas check the request, type the handler and make the OpenAPI document. What a
 * handler returns is checked by the compiler against the declared responses.
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
import { parseQuery } from './parse-query.ts';
import type { ApiServices } from './api-services.ts';
import { validated, type OutputOf } from './validated.ts';
import { withinCapacity } from './within-capacity.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** JSON by `schema`, anything else by `media`, what the client prefers where there are both, nothing where neither. */
export type ResponseDeclaration = {
  description: string;
  schema?: z.ZodType;
  media?: readonly string[];
  /** By media type. JSON has the examples of its schema, a file how files of its type begin. */
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
    /** In which the moments of the body are written; the caller's where nothing is said. */
    timeZone?: string;
  } & BodyOf<Responses[Status]>;
}[keyof Responses & number];

/** Which of these media types the client prefers; the first one where it does not care, `false` where it takes none. */
export type Accepts = (...types: string[]) => string | false;

/** The request as a handler gets it: everything checked, typed, and under the names of the code. */
export type RouteRequest<A extends Auth, Params, Query, Headers, Body> = {
  caller: CallerOf[A];
  params: Decoded<OutputOf<Params>>;
  query: Decoded<OutputOf<Query>>;
  headers: OutputOf<Headers>;
  body: Decoded<OutputOf<Body>>;
  /** HEAD is answered by the handler of GET; one that opens files wants to know. */
  isHead: boolean;
  accepts: Accepts;
  /** Whether the client understands an answer that is compressed like this. */
  takesEncoding: (encoding: string) => boolean;
  /** Whether the key or token is still good: for answers that go on for longer than it may be. */
  isStillValid: () => Promise<boolean>;
  browser: Browser;
  /** Counts one more token of nobody from where this request comes from; refuses with 429 when there were too many. */
  countFailure: () => Promise<void>;
  /** The request's `Idempotency-Key`, where the route honours it: what the handler does keeps its answer under it. */
  keyed: KeyedRequest | null;
  /** What the answer calls the request. */
  requestId: string;
};

/**
 * What a route is asked, by somebody who was let in: by an HTTP request of its own, or by one that asks for several
 * things (`mcp/own-fetch.ts`). Nothing of it was checked yet.
 */
export type Asked = Pick<
  RouteRequest<Auth, undefined, undefined, undefined, undefined>,
  'isHead' | 'accepts' | 'takesEncoding' | 'isStillValid' | 'countFailure' | 'requestId'
> & {
  caller: CallerOf[Auth];
  params: unknown;
  query: Readonly<Record<string, unknown>>;
  headers: unknown;
  readBody: () => Promise<unknown>;
  readBrowser: () => Browser;
  /** Names the fields that are ignored in the answer, whether the request is done or refused. */
  nameIgnored: (value: string) => void;
};

type Declaration<A extends Auth, Params, Query, Headers, Body, Responses> = {
  method: Method;
  /** With `{name}` for parameters, as OpenAPI writes it. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  auth: A;
  params?: Params | undefined;
  query?: Query | undefined;
  headers?: Headers | undefined;
  /** A schema that accepts `undefined` makes the body optional. */
  body?: Body | undefined;
  /** Fields of the body with a code of their own instead of `invalid_request`. */
  fieldCodes?: Readonly<Partial<Record<string, RefusalCode>>>;
  /**
   * Begins a call: a gateway without room refuses before it looks up who asks, since every look-up is load, and load is
   * what it has too much of.
   */
  beginsCall?: boolean;
  /**
   * Makes what its answers need once, before the port opens: a first request would keep every call waiting for it.
   */
  prepare?: (services: Pick<ApiServices, 'version'>) => Promise<void>;
  /** Can be done for a call that is held here while the database is away. Only for routes of a number key. */
  needsNoDatabase?: boolean;
  /** Honours `Idempotency-Key`. Only for routes of a number key. */
  idempotent?: boolean;
  responses: Responses;
  /** Codes beyond those that follow from the declaration itself (authentication, validation, limits, accidents). */
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
  /** The answer to somebody who may ask this route. */
  answer(asked: Asked, services: ApiServices): Promise<Rendered>;
};

/**
 * In two steps, so that the compiler knows the declaration whole when it reads the handler.
 */
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
      // Who asks was let in as this route wants it.
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
          // What it takes to find out is more than what most requests need it for.
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
): Asked => ({
  caller,
  params: ctx.params,
  query: parseQuery(ctx.querystring),
  headers: ctx.headers,
  readBody: () => readJsonBody(ctx.req, services.limits.bodyBytes),
  readBrowser: () => services.readBrowser(ctx.req),
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
