import { deleteTrunk as remove } from '#src/persistence/trunks.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { trunkInPath, trunkNotFound } from './trunk-schema.ts';

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
  const one = { trunkId: params.id, workspaceId: caller.workspace.id };
  if (!(await remove(services.database, one))) throw trunkNotFound();
  await audit(services, caller, { action: 'trunk.deleted', subject: `trunk:${params.id}` });
  return { status: 204 };
});
