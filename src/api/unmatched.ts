import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/** A target that cannot be decoded names nothing; caught here, before anybody reads its parts. */
export const checkTarget: ApiMiddleware = (ctx, next) => {
  try {
    decodeURIComponent(ctx.path);
    decodeURIComponent(ctx.querystring);
  } catch (error) {
    throw new Refusal('invalid_request', 'The address of the request is not correctly encoded.', {
      cause: error,
    });
  }
  return next();
};

/** After the router: an unknown path is 404, a known one 405 with `Allow`; OPTIONS tells the methods. */
export const answerUnmatched = (ctx: ApiContext): void => {
  const methods = [...new Set((ctx.matched ?? []).flatMap((layer) => layer.methods))];
  if (methods.length === 0) throw new Refusal('not_found', 'There is no such address in this API.');
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new Refusal('method_not_allowed', `Use one of: ${allow}.`, { headers: { Allow: allow } });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
};
