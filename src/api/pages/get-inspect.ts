/** The page that shows a call in the Stately inspector, the only page that loads resources from stately.ai. */
import { Refusal } from '#src/domain/refusal.ts';
import { defineRoute } from '../http/route.ts';
import { inspectPage, inspectScript, inspectStyle } from './inspect-page.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' https://stately.ai; frame-src https://stately.ai; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const off = (): Refusal =>
  new Refusal('not_found', 'The inspector is off: start the gateway with GW_INSPECT=1.');

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
}).handledBy((_request, { operation: { inspects } }) => {
  if (!inspects) throw off();
  return {
    status: 200,
    media: 'text/html',
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      // Opener policy that lets a window opened by this page send messages to the page.
      'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    },
    body: inspectPage,
  };
});

export const getInspectScript = defineRoute({
  method: 'get',
  path: '/inspect/page.js',
  operationId: 'getInspectScript',
  tag: 'Pages',
  summary: 'The script of the inspector page',
  description: 'Connects the websocket and the inspector.',
  auth: 'none',
  responses: { 200: { description: 'The script.', media: ['text/javascript'] } },
  refusals: ['not_found'],
}).handledBy((_request, { operation: { inspects } }) => {
  if (!inspects) throw off();
  return { status: 200, media: 'text/javascript', headers: {}, body: inspectScript };
});

export const getInspectStyle = defineRoute({
  method: 'get',
  path: '/inspect/page.css',
  operationId: 'getInspectStyle',
  tag: 'Pages',
  summary: 'The style of the inspector page',
  description: "The page's style sheet.",
  auth: 'none',
  responses: { 200: { description: 'The style sheet.', media: ['text/css'] } },
  refusals: ['not_found'],
}).handledBy((_request, { operation: { inspects } }) => {
  if (!inspects) throw off();
  return { status: 200, media: 'text/css', headers: {}, body: inspectStyle };
});
