import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { ApiMiddleware } from './context.ts';

/** Asked every few seconds by machines; not worth a line each. */
const quiet = new Set(['/healthz', '/readyz', '/metrics']);

/** One line a request: no path as it came, no query, no body, no address. */
export const logAccess =
  (logger: Logger): ApiMiddleware =>
  (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { route = null, requestId } = ctx.state;
      const level = route !== null && quiet.has(route) && ctx.res.statusCode < 500 ? 'debug' : 'info';
      logger[level](
        {
          method: ctx.method,
          route,
          status: ctx.res.statusCode,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          request_id: requestId,
          ...(ctx.res.writableFinished ? {} : { aborted: true }),
        },
        'http request',
      );
    });
    return next();
  };
