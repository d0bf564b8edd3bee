/** Turns errors into responses; no other module does so. */
import type { default as Koa, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Refusal } from '#src/domain/refusal.ts';
import type { ApiServices } from '../api-services.ts';
import type { ApiMiddleware, ApiState, Rendered } from './context.ts';
import { asRefusal, problemMediaType, problemOf } from './problem.ts';

/** Dependencies of error responses. */
type Refusing = { operation: Pick<ApiServices['operation'], 'logger' | 'isPassing'> };

/** Returns the response for an error; logs unexpected errors. */
export const answerError = (
  error: unknown,
  requestId: string,
  { operation: { logger, isPassing } }: Refusing,
): Rendered & { body: string } => {
  const refusal = asRefusal(error, isPassing);
  logFailure(logger, refusal, requestId);
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'Content-Type': problemMediaType },
    body: problemOf(refusal, requestId),
  };
};

export const refuse =
  (services: Refusing): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { status, headers, body } = answerError(error, ctx.state.requestId, services);
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    }
  };

/** Logs errors of the gateway. Refusals with a status below 500 are mistakes of the client and are not logged. */
const logFailure = (logger: Logger, { code, status, message, cause }: Refusal, requestId: string): void => {
  const about = { code, detail: message, err: cause, request_id: requestId };
  if (code === 'internal_error') logger.error({ err: cause, request_id: requestId }, 'a request failed');
  // Refusals for capacity are logged at debug level, because there may be hundreds of them per second. The beginning
  // and end of load shedding are logged anyway.
  else if (code === 'over_capacity') logger.debug(about, 'a request was refused');
  else if (status >= 500) logger.warn(about, 'a request was refused');
};

const callerWentAway = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/**
 * Replaces Koa's fallback, which writes plain text. The errors handled here occurred while a response was being sent (a
 * file that cannot be read further, a disconnected client). Such errors are logged, and answered if no data was sent
 * yet.
 */
export const refuseLate = (app: Koa<ApiState>, { operation: { logger, isPassing } }: Refusing): void => {
  const answer = function answer(this: ParameterizedContext<ApiState>, error: Error | null): void {
    if (error === null || error === undefined) return;
    const { requestId } = this.state;
    const { res } = this;
    if ('code' in error && callerWentAway.has(String(error.code))) {
      logger.debug({ err: error, request_id: requestId }, 'a client disconnected');
      res.destroy();
      return;
    }
    const refusal = asRefusal(error, isPassing);
    logFailure(logger, refusal, requestId);
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.writeHead(refusal.status, {
      ...refusal.headers,
      'Content-Type': problemMediaType,
      'X-Request-Id': requestId,
    });
    res.end(problemOf(refusal, requestId));
  };
  Object.assign(app.context, { onerror: answer });
};
