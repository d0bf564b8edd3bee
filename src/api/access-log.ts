import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ApiMiddleware } from './context.ts';

/** Asked every few seconds by machines; not worth a line each. */
const quiet = new Set(['/healthz', '/readyz', '/metrics']);

export type AnsweredRequest = {
  method: string;
  /** The pattern of the route; null where there is none. */
  route: string | null;
  status: number;
  /** From its arrival to the end of the answer. */
  seconds: number;
  /** Of events: it lasts as long as somebody listens. */
  isStream: boolean;
};

/** A path may hold anything; what is no id of a call stays out of the log. */
const callInPath = z.object({ call_id: z.uuid().optional() });

/** One line a request: no path as it came, no query, no body, no address. `onAnswered` is told as well. */
export const logAccess =
  (logger: Logger, onAnswered: (request: AnsweredRequest) => void): ApiMiddleware =>
  (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { route = null, requestId } = ctx.state;
      const callId = callInPath.safeParse(ctx.params).data?.call_id;
      const milliseconds = performance.now() - startedAt;
      onAnswered({
        method: ctx.method,
        route,
        status: ctx.res.statusCode,
        seconds: milliseconds / 1000,
        isStream: ctx.response.type === 'text/event-stream',
      });
      const level = route !== null && quiet.has(route) && ctx.res.statusCode < 500 ? 'debug' : 'info';
      logger[level](
        {
          method: ctx.method,
          route,
          status: ctx.res.statusCode,
          ms: Math.round(milliseconds * 10) / 10,
          request_id: requestId,
          ...(callId === undefined ? {} : { call_id: callId }),
          ...(ctx.res.writableFinished ? {} : { aborted: true }),
        },
        'http request',
      );
    });
    return next();
  };
