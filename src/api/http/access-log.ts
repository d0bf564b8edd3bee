import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { ApiMiddleware } from './context.ts';

/** Paths that machines poll every few seconds. */
const polled = new Set(['/healthz', '/readyz', '/metrics']);

/** Duration in milliseconds from which a request of the console is slow. */
const slowMs = 1_000;

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

/**
 * Whether a request is of interest only to a developer: polls of machines, files of the console, and what its pages read
 * every few seconds. Errors, slow requests and changes are of interest to operators.
 */
export const isQuiet = (
  { method, route, status, seconds, isStream }: AnsweredRequest,
  isFromConsole: boolean,
): boolean => {
  if (status >= 500 || route === null) return false;
  if (polled.has(route)) return true;
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead || status >= 400 || (!isStream && seconds * 1_000 >= slowMs)) return false;
  return isFromConsole || !route.startsWith('/api/');
};

/**
 * Logs one line per request, at the level `debug` for quiet ones, without the raw path, query,
 * body or address. Also calls `onAnswered`.
 */
export const logAccess =
  (logger: Logger, onAnswered: (request: AnsweredRequest) => void): ApiMiddleware =>
  (ctx, next) => {
    const startedAt = performance.now();
    ctx.res.once('close', () => {
      const { route = null, requestId, isFromConsole = false } = ctx.state;
      const callId = callInPath.safeParse(ctx.params).data?.call_id;
      const milliseconds = performance.now() - startedAt;
      const answered: AnsweredRequest = {
        method: ctx.method,
        route,
        status: ctx.res.statusCode,
        seconds: milliseconds / 1000,
        isStream: ctx.response.type === 'text/event-stream',
      };
      onAnswered(answered);
      const level = isQuiet(answered, isFromConsole) ? 'debug' : 'info';
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
