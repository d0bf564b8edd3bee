/** The built console; a plain page if it was not built. */
import { defineRoute } from '../http/route.ts';
import { builtPage } from './built-page.ts';

export const getHome = defineRoute({
  method: 'get',
  path: '/',
  operationId: 'getHome',
  tag: 'Pages',
  summary: 'The console',
  description: 'For workspace admins, in a browser: numbers and agents, live calls, webhooks, trunks.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(({ takesEncoding }) => builtPage('index.html', takesEncoding));
