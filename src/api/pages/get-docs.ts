/**
 * The API reference page. All its resources come from this gateway: it works offline, and no third party learns of its
 * readers.
 */
import { defineRoute } from '../http/route.ts';
import { builtPage } from './built-page.ts';

export const getDocs = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getDocs',
  tag: 'Pages',
  summary: 'The reference page',
  description: 'This document for people, with a form to try each operation.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(({ takesEncoding }) => builtPage('docs.html', takesEncoding));
