import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Middleware } from 'koa';
import type { RouterContext } from '@koa/router';

/** State of one request that Koa's own context does not have. */
export type ApiState = {
  requestId: string;
  /** Pattern of the answering route, for the access log, because the path may contain data that must not be logged. */
  route?: string;
  /** Whether a page of the console sent the request, by the session of its browser. */
  isFromConsole?: boolean;
};

export type ApiContext = RouterContext<ApiState>;

export type ApiMiddleware = Middleware<ApiState>;

/** A response as it is sent. */
export type Rendered = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable | Buffer | string | null;
};

const sane = /^[\w.:+/=-]{1,128}$/;

/**
 * Returns the id of a request. A client's valid `X-Request-Id` is used, so that the logs of both sides can be
 * correlated.
 */
export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = String(headers['x-request-id'] ?? '');
  return sane.test(given) ? given : randomUUID();
};

/** Sets the request id of the response. */
export const nameRequest: ApiMiddleware = (ctx, next) => {
  ctx.state.requestId = requestIdOf(ctx.req);
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
