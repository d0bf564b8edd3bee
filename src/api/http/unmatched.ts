import { Refusal } from '#src/domain/refusal.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';

/**
 * Rejects requests without exactly one `Host` (RFC 9112, 3.2), except HTTP/1.0, and requests whose target cannot be
 * decoded. This middleware runs before any code reads parts of the target.
 */
export const checkTarget: ApiMiddleware = (ctx, next) => {
  const { httpVersion, rawHeaders } = ctx.req;
  // `Host` headers are counted in the raw list, in which names and values alternate, because `headersDistinct` would
  // sort all headers.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    throw new Refusal('invalid_request', 'Send the header Host, once.');
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

/**
 * Answers requests that no route has matched: 404 for an unknown path, 405 with `Allow` for a known one, and the list
 * of methods for OPTIONS.
 */
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
