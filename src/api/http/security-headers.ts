import helmet from 'koa-helmet';
import type { ApiMiddleware } from './context.ts';

/**
 * Sets the security headers of all responses. Responses are data, not pages: they must not load resources, execute code
 * or be framed. Pages override this policy with their own. Caches must not store responses unless a response allows it.
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
