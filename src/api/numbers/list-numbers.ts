import * as z from 'zod';
import { defineRoute } from '../http/route.ts';
import { number } from './number-schema.ts';
import { presentNumber } from './present-number.ts';

export const listNumbers = defineRoute({
  method: 'get',
  path: '/api/v1/admin/numbers',
  operationId: 'listNumbers',
  tag: 'Numbers',
  summary: 'List the numbers',
  description: 'All numbers of the workspace, oldest first.',
  auth: 'viewer',
  responses: { 200: { description: 'The numbers.', schema: z.object({ numbers: z.array(number) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => {
  const found = await services.directory.numbers(caller.workspace.id);
  const numbers = await Promise.all(found.map((one) => presentNumber(services.directory, one)));
  return { status: 200, body: { numbers } };
});
