import { randomUUID } from 'node:crypto';
import type { ApiMiddleware } from './context.ts';

const sane = /^[\w.:+/=-]{1,128}$/;

/** Each response names its request; a caller's own sane `X-Request-Id` is kept, so that its logs and ours meet. */
export const nameRequest: ApiMiddleware = (ctx, next) => {
  const given = ctx.get('X-Request-Id');
  ctx.state.requestId = sane.test(given) ? given : randomUUID();
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
};
