import * as z from 'zod';
import { snakeCase } from '#src/domain/field-names.ts';
import { findTrunk, patchTrunk } from '#src/persistence/trunks.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import {
  passwordField,
  presentTrunk,
  trunk,
  trunkFields,
  trunkInPath,
  trunkNotFound,
} from './trunk-schema.ts';
import { nameTaken, requirePossible } from './trunk-settings.ts';

export const updateTrunk = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/trunks/{id}',
  operationId: 'updateTrunk',
  tag: 'Trunks',
  summary: 'Change a trunk',
  description: 'Changes what is given, for calls from now on; those in progress stay as they are.',
  auth: 'admin',
  params: trunkInPath,
  body: z
    .strictObject({ ...trunkFields, password: passwordField })
    .partial()
    .meta({ example: { priority: 20, enabled: false } }),
  responses: { 200: { description: 'The trunk.', schema: trunk } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const one = { trunkId: params.id, workspaceId: caller.workspace.id };
  const before = await findTrunk(services.database, one);
  if (before === undefined) throw trunkNotFound();
  const { password, ...settings } = body;
  const passwordSealed = typeof password === 'string' ? services.sealing.seal(password, before.id) : password;
  requirePossible(
    { ...before, ...settings },
    (passwordSealed === undefined ? before.passwordSealed : passwordSealed) !== null,
  );
  const changed = await patchTrunk(services.database, one, { ...settings, passwordSealed });
  if (changed === undefined) throw trunkNotFound();
  if (changed === 'name_taken') throw nameTaken();
  await audit(services, caller, {
    action: 'trunk.changed',
    subject: `trunk:${changed.id}`,
    detail: { fields: Object.keys(body).map(snakeCase) },
  });
  return { status: 200, body: presentTrunk(services, changed) };
});
