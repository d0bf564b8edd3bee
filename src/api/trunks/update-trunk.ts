import * as z from 'zod';
import { changeTrunk } from '#src/administration/administer-trunks.ts';
import { defineRoute } from '../http/route.ts';
import { requireTrunkHosts } from './require-hosts.ts';
import { passwordField, presentTrunk, trunk, trunkFields, trunkInPath } from './trunk-schema.ts';

export const updateTrunk = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'updateTrunk',
  tag: 'Trunks',
  summary: 'Change a trunk',
  description: 'Changes the given fields for new calls; calls in progress are unchanged.',
  auth: 'admin',
  params: trunkInPath,
  body: z
    .strictObject({ ...trunkFields, password: passwordField })
    .partial()
    .meta({ example: { priority: 20, enabled: false } }),
  responses: { 200: { description: 'The trunk.', schema: trunk } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  await requireTrunkHosts(services, body);
  const changed = await changeTrunk(services.directory.administrator(caller), params.id, body);
  return { status: 200, body: presentTrunk(services, changed) };
});
