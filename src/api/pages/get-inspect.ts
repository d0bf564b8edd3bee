/** The page that shows a call in the Stately inspector, the only page that loads resources from stately.ai. */
import { Refusal } from '#src/domain/refusal.ts';
import { defineRoute } from '../http/route.ts';
import { builtPage, policyFor } from './built-page.ts';

const policy = policyFor(
  "'self'",
  "script-src 'self'; connect-src 'self' https://stately.ai; img-src 'self'; frame-src https://stately.ai; ",
);

export const getInspect = defineRoute({
  method: 'get',
  path: '/inspect',
  operationId: 'getInspect',
  tag: 'Pages',
  summary: 'Calls in the Stately inspector',
  description:
    'A page that shows the statecharts of calls in progress in the Stately inspector, which it loads from stately.ai. As a websocket (`?token=` an admin token, optional for a browser with a console session; `?call=` one call, or absent for all) this address uses the inspection protocol. Only with `GW_INSPECT=1`.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: ['not_found'],
}).handledBy(async ({ takesEncoding }, { operation: { inspects } }) => {
  if (!inspects) {
    throw new Refusal('not_found', 'The inspector is off: start the gateway with GW_INSPECT=1.');
  }
  const page = await builtPage('stately.html', takesEncoding, policy);
  return {
    ...page,
    headers: {
      ...page.headers,
      // Opener policy that lets a window opened by this page send messages to the page.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    },
  };
});
