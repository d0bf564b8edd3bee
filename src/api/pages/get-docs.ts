/** The reference page. Everything it loads comes from here: it works offline, and nobody else learns who reads it. */
import { defineRoute } from '../route.ts';
import { builtPage } from './built-page.ts';

export const getDocs = defineRoute({
  method: 'get',
  path: '/docs',
  operationId: 'getDocs',
  tag: 'Pages',
  summary: 'The reference page',
  description: 'This document for people, who can try each operation.',
  auth: 'none',
  responses: { 200: { description: 'The page.', media: ['text/html'] } },
  refusals: [],
}).handledBy(({ takesEncoding }) => builtPage('docs.html', takesEncoding));
