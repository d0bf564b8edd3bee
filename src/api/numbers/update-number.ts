import * as z from 'zod';
import { changesBetween } from '#src/administration/administrator.ts';
import { numberNotFound } from '#src/administration/numbers.ts';
import { callPolicyFields } from '#src/domain/call-policy.ts';
import { snakeCase } from '#src/domain/field-names.ts';
import { patchNumber } from '#src/persistence/numbers.ts';
import { audit } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { chooseSpeech } from './choose-speech.ts';
import { findOwnNumber } from './find-own-number.ts';
import { number, numberInPath, settingsFields } from './number-schema.ts';
import { presentNumber } from './present-number.ts';
import { requireOwnTrunk } from './require-own-trunk.ts';

export const updateNumber = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'updateNumber',
  tag: 'Numbers',
  summary: 'Change a number',
  description:
    'Changes what is given. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep what they began with.',
  auth: 'admin',
  params: numberInPath,
  body: z
    .strictObject(settingsFields)
    .partial()
    .meta({
      example: {
        greeting: 'Good morning, this is the front desk.',
        silence_timeout_sec: 20,
        recording_enabled: null,
      },
    }),
  responses: { 200: { description: 'The number.', schema: number } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { id: workspaceId } = caller.workspace;
  await requireOwnTrunk(services, workspaceId, body.trunkId);
  const before = await findOwnNumber(services, caller, params.id);
  const changed = await patchNumber(
    services.database,
    { numberId: params.id, workspaceId },
    { ...body, ...chooseSpeech(services.engines, body, before) },
  );
  if (changed === undefined) throw numberNotFound();
  await audit(services, caller, {
    action: 'number.changed',
    subject: `number:${changed.id}`,
    // What callers hear is named, not repeated.
    detail: {
      fields: Object.keys(body).map(snakeCase),
      changes: changesBetween(callPolicyFields, before, changed),
    },
  });
  return { status: 200, body: await presentNumber(services, changed) };
});
