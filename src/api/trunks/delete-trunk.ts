import { removeTrunk } from '#src/administration/administer-trunks.ts';
import { administratorOf } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { trunkInPath } from './trunk-schema.ts';

export const deleteTrunk = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'deleteTrunk',
  tag: 'Trunks',
  summary: 'Remove a trunk',
  description: 'Numbers bound to it use the other trunks of the workspace. Calls in progress go on.',
  auth: 'admin',
  params: trunkInPath,
  responses: { 204: { description: 'It is gone.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  await removeTrunk(administratorOf(services, caller), params.id);
  return { status: 204 };
});
