import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ApiMiddleware } from './context.ts';

/** Paths that machines poll every few seconds; they are not logged. */
const quiet = new Set(['/healthz', '/readyz', '/metrics']);

export type AnsweredRequest = {
  method: string;
  /** The pattern of the route; null if none matched. */
  route: string | null;
  status: number;
  /** Duration from the arrival of the request to the end of the response, in milliseconds. */
  seconds: number;
  /**
   * Whether the response is an event stream, which lasts as long as its reader is connected and is logged when it ends.
   */
  isStream: boolean;
};

/** Parses the call id for the log. Other path segments are not logged, because they may contain anything. */
const callInPath = z.object({ call_id: z.uuid().optional() });

/** Logs one line per request, without the raw path, query, body or address. Also calls `onAnswered`. */
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
