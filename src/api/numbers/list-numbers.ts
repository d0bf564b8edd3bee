import * as z from 'zod';
import { listNumbers as findNumbers } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../route.ts';
import { number } from './number-schema.ts';
import { presentNumber } from './present-number.ts';

export const listNumbers = defineRoute({
  method: 'get',
  path: '/api/v1/admin/numbers',
  operationId: 'listNumbers',
  tag: 'Numbers',
  summary: 'List the numbers',
  description: 'All numbers of the workspace, the oldest first.',
  auth: 'viewer',
  responses: { 200: { description: 'The numbers.', schema: z.object({ numbers: z.array(number) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => {
  const found = await findNumbers(services.database, caller.workspace.id);
  const numbers = await Promise.all(found.map((one) => presentNumber(services, one)));
  return { status: 200, body: { numbers } };
});
