import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Middleware } from 'koa';
import type { RouterContext } from '@koa/router';

/** Kept of one request, beside what Koa keeps. */
export type ApiState = {
  requestId: string;
  /** The pattern of the route that answers, for the access log; a path may hold what a log must not. */
  route?: string;
};

export type ApiContext = RouterContext<ApiState>;

export type ApiMiddleware = Middleware<ApiState>;

/** An answer as it is sent. */
export type Rendered = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Readable | Buffer | string | null;
};

const sane = /^[\w.:+/=-]{1,128}$/;

/** Each response names its request; a caller's own sane `X-Request-Id` is kept, so that its logs and ours meet. */
export const nameRequest: ApiMiddleware = (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = sane.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
