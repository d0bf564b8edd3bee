import type { Middleware } from 'koa';
import type { RouterContext } from '@koa/router';

/** What the API knows of one request, beside what Koa knows. */
export type ApiState = {
  requestId: string;
  /** The pattern of the route that answers, for the access log; a path may hold what a log must not. */
  route?: string;
};

export type ApiContext = RouterContext<ApiState>;

export type ApiMiddleware = Middleware<ApiState>;
