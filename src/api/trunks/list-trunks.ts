import * as z from 'zod';
import { defineRoute } from '../http/route.ts';
import { presentTrunk, trunk } from './trunk-schema.ts';

export const listTrunks = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunks',
  operationId: 'listTrunks',
  tag: 'Trunks',
  summary: 'List the trunks',
  description: 'All trunks of the workspace, oldest first, with their states; no passwords.',
  auth: 'viewer',
  responses: { 200: { description: 'The trunks.', schema: z.object({ trunks: z.array(trunk) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => {
  const records = await services.directory.trunks(caller.workspace.id);
  return { status: 200, body: { trunks: records.map((record) => presentTrunk(services, record)) } };
});
