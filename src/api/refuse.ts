/** The one place where errors become answers. */
import type { default as Koa, ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Refusal } from '#src/domain/refusal.ts';
import type { ApiServices } from './api-services.ts';
import type { ApiMiddleware, ApiState } from './context.ts';
import { asRefusal, problemMediaType, problemOf } from './problem.ts';

export const refuse =
  ({ logger, isPassing }: Pick<ApiServices, 'logger' | 'isPassing'>): ApiMiddleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = asRefusal(error, isPassing);
      logFailure(logger, refusal, ctx.state.requestId);
      ctx.status = refusal.status;
      ctx.set(refusal.headers);
      ctx.set('Content-Type', problemMediaType);
      ctx.body = problemOf(refusal, ctx.state.requestId);
    }
  };

/** The caller's mistakes are the caller's to log; an accident is logged with its cause. */
const logFailure = (logger: Logger, { code, status, message, cause }: Refusal, requestId: string): void => {
  if (code === 'internal_error') logger.error({ err: cause, request_id: requestId }, 'a request failed');
  else if (status >= 500)
    logger.warn({ code, detail: message, err: cause, request_id: requestId }, 'a request was refused');
};

const callerWentAway = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE']);

/**
 * Koa's own last resort writes plain text. What gets there broke while the answer was being written (a file that
 * cannot be read on, a caller that went away), so all that is left is to log it, and to answer if nothing was sent.
 */
export const refuseLate = (
  app: Koa<ApiState>,
  { logger, isPassing }: Pick<ApiServices, 'logger' | 'isPassing'>,
): void => {
  const answer = function answer(this: ParameterizedContext<ApiState>, error: Error | null): void {
    if (error === null || error === undefined) return;
    const { requestId } = this.state;
    const { res } = this;
    if ('code' in error && callerWentAway.has(String(error.code))) {
      logger.debug({ err: error, request_id: requestId }, 'a caller went away');
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
