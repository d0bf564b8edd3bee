import { removeTrunk } from '#src/administration/administer-trunks.ts';
import { defineRoute } from '../http/route.ts';
import { trunkInPath } from './trunk-schema.ts';

export const deleteTrunk = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'deleteTrunk',
  tag: 'Trunks',
  summary: 'Remove a trunk',
  description: 'Numbers bound to it use the other trunks of the workspace. Calls in progress continue.',
  auth: 'admin',
  params: trunkInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  await removeTrunk(services.directory.administrator(caller), params.id);
  return { status: 204 };
});
