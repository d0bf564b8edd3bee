import helmet from 'koa-helmet';
import type { ApiMiddleware } from './context.ts';

/**
 * Answers are data, not pages: nothing in them may load, run or be framed. Pages override the policy with their own.
 * Nothing is kept by caches unless an answer says otherwise.
 */
export const securityHeaders = (): ApiMiddleware => {
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
      },
    },
  });
  return (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return protect(ctx, next);
  };
};
