import { trunkOf } from '#src/administration/administer-trunks.ts';
import { defineRoute } from '../http/route.ts';
import { presentTrunk, trunk, trunkInPath } from './trunk-schema.ts';

export const getTrunk = defineRoute({
  method: 'get',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'getTrunk',
  tag: 'Trunks',
  summary: 'Read a trunk',
  description: 'Its settings and its state; no password.',
  auth: 'viewer',
  params: trunkInPath,
  responses: { 200: { description: 'The trunk.', schema: trunk } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const record = await trunkOf(services.directory.administrator(caller), params.id);
  return { status: 200, body: presentTrunk(services, record) };
});
