import * as z from 'zod';
import { numberToTry, trunkOf } from '#src/administration/administer-trunks.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { trunkCheckSteps } from '#src/domain/trunk.ts';
import { audit } from '../http/audit.ts';
import { domesticNumber } from '../domestic-number.ts';
import { defineRoute } from '../http/route.ts';
import { trunkInPath } from './trunk-schema.ts';

const step = z
  .object({
    step: z.enum(trunkCheckSteps).meta({ example: 'options' }),
    result: z.enum(['ok', 'failed', 'skipped']),
    sentence: z.string().meta({ description: 'The meaning, and advice.', example: 'The trunk answers.' }),
    ladder: z
      .array(z.object({ at_ms: z.number(), direction: z.enum(['out', 'in']), message: z.string() }))
      .meta({
        description: 'The SIP messages of this step.',
        example: [
          { at_ms: 0, direction: 'out', message: 'OPTIONS sip:sip.example.com SIP/2.0' },
          { at_ms: 31, direction: 'in', message: 'SIP/2.0 200 OK' },
        ],
      }),
  })
  .meta({ id: 'TrunkCheckStep' });

export const checkTrunk = defineRoute({
  method: 'post',
  path: '/api/v1/admin/trunks/{id}/check',
  operationId: 'checkTrunk',
  tag: 'Trunks',
  summary: 'Test a trunk',
  description:
    'Registers, sends OPTIONS, and places a call that ends as soon as it rings. Without `to` a number of the workspace calls itself through the trunk, so no other telephone rings and inbound calls are tested as well.',
  auth: 'admin',
  params: trunkInPath,
  body: z.strictObject({
    to: z.string().optional().meta({
      description: 'Domestic format. Its telephone may ring briefly.',
      example: '010-0000-0001',
    }),
  }),
  responses: { 200: { description: 'The results.', schema: z.object({ steps: z.array(step) }) } },
  refusals: ['not_found', 'service_unavailable'],
}).handledBy(async ({ caller, params, body }, services) => {
  const administrator = services.directory.administrator(caller);
  const trunk = await trunkOf(administrator, params.id);
  const to = body.to === undefined ? undefined : domesticNumber(services.directory.country, 'to', body.to);
  const { number: from } = await numberToTry(administrator, trunk);
  const steps = await services.directory.tryTrunk(trunk.id, { from, to: to ?? from });
  if (steps === undefined)
    throw new Refusal(
      'service_unavailable',
      trunk.enabled
        ? 'The lines of this gateway are simulated: there is nothing to try the trunk on.'
        : 'The trunk is not enabled.',
    );
  await audit(services, caller, { action: 'trunk.checked', subject: `trunk:${trunk.id}` });
  return {
    status: 200,
    body: { steps },
  };
});
