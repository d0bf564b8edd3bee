/** The HTTP API: each request passes through these steps from top to bottom and ends in exactly one response. */
import type { RequestListener } from 'node:http';
import { Router, type RouterMiddleware } from '@koa/router';
import Koa from 'koa';
import { logAccess } from './http/access-log.ts';
import { createAuthentication, type Authentication } from './http/authenticate.ts';
import { type ApiContext, type ApiState, nameRequest } from './http/context.ts';
import { createCounter, type Counter } from './http/rate-limit.ts';
import { refuse, refuseLate } from './http/refuse.ts';
import { refuseAtCapacity } from './http/refuse-at-capacity.ts';
import type { Route } from './http/route.ts';
import { routes } from './routes.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { traceApiRequest } from './http/trace-api-request.ts';
import type { ApiServices } from './api-services.ts';
import { answerUnmatched, checkTarget } from './http/unmatched.ts';

/** Creates the API. `failures` counts failed authentications; the websocket routes may use the same counter. */
export const createApi = (
  services: ApiServices,
  failures: Counter = createCounter('failures', services.operation.limits.failuresPerAddress, services),
): RequestListener => {
  const { logger, onAnswered } = services.operation;
  const app = new Koa<ApiState>();
  refuseLate(app, services);
  app.use(nameRequest);
  app.use(traceApiRequest);
  app.use(logAccess(logger, onAnswered));
  app.use(setSecurityHeaders);
  app.use(refuse(services));
  app.use(checkTarget);
  app.use(findRoute(services, failures));
  app.use(answerUnmatched);
  const isRefused = refuseAtCapacity(services, routes);
  const answer = app.callback();
  return (request, response) => {
    if (!isRefused(request, response)) void answer(request, response);
  };
};

/** Returns the first segments of an API path or pattern, such as `/api/v1/calls`, which contain no parameters. */
const resourceOf = (path: string): string => /^\/api\/v1\/[^/]+/.exec(path)?.[0] ?? '';

/** One router per resource, because a single router would try every pattern for every path. */
const findRoute = (services: ApiServices, failures: Counter): RouterMiddleware<ApiState> => {
  const authentication = createAuthentication(services, failures);
  const middlewares = new Map(
    [...Map.groupBy(routes, ({ path }) => resourceOf(path))].map(([resource, itsRoutes]) => [
      resource,
      createRouter(itsRoutes, authentication, services).routes(),
    ]),
  );
  return (ctx, next) => middlewares.get(resourceOf(ctx.path))?.(ctx, next) ?? next();
};

const createRouter = (
  routes: readonly Route[],
  authentication: Authentication,
  services: ApiServices,
): Router<ApiState> => {
  const router = new Router<ApiState>({ sensitive: true, strict: true });
  for (const route of routes) {
    router.register(
      route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      [route.method],
      serving(route, authentication, services),
    );
  }
  return router;
};

const serving =
  (route: Route, authentication: Authentication, services: ApiServices) =>
  async (ctx: ApiContext): Promise<void> => {
    ctx.state.route = route.path;
    const { status, headers, body } = await route.serve(ctx, authentication, services);
    ctx.status = status;
    // Before the body, because Koa looks up a media type for a body without one.
    if (headers['Content-Type'] !== undefined) ctx.set('Content-Type', headers['Content-Type']);
    // Koa turns a null body into a 204, so the body becomes an empty text. A 204 keeps its missing body.
    if (status !== 204) ctx.body = body ?? '';
    ctx.set(headers);
  };
