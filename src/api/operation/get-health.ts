import * as z from 'zod';
import { defineRoute } from '../route.ts';

export const getHealth = defineRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tag: 'Operation',
  summary: 'Is the process alive?',
  description: 'Answers as long as the process runs, whatever it depends on.',
  auth: 'none',
  responses: { 200: { description: 'It is.', schema: z.object({ status: z.literal('alive') }) } },
  refusals: [],
}).handledBy(() => ({ status: 200, body: { status: 'alive' } }));
