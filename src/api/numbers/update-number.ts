import * as z from 'zod';
import { changeNumber } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../http/route.ts';
import { number, numberInPath, settingsFields } from './number-schema.ts';
import { presentNumber } from './present-number.ts';

export const updateNumber = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'updateNumber',
  tag: 'Numbers',
  summary: 'Change a number',
  description:
    'Changes the given fields. A policy field that is null falls back to the workspace, then to the platform. Calls in progress keep their settings.',
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
  const changed = await changeNumber(
    services.directory.administrator(caller),
    params.id,
    body,
    services.directory.engines,
  );
  return { status: 200, body: await presentNumber(services.directory, changed) };
});
