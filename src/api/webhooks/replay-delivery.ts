import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { audit } from '../http/audit.ts';
import { idInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { delivery, presentDelivery } from './delivery-schema.ts';

export const replayDelivery = defineRoute({
  method: 'post',
  path: '/api/v1/admin/deliveries/{id}/replay',
  operationId: 'replayDelivery',
  tag: 'Webhooks',
  summary: 'Deliver again',
  description:
    'Tries a delivery at once and restarts its schedule, whatever its state; a running attempt is not interrupted. The event keeps its id.',
  auth: 'admin',
  params: z.object({ id: idInPath('The delivery.') }),
  responses: { 202: { description: 'It will be tried now.', schema: delivery } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { id: workspaceId } = caller.workspace;
  const record = await services.events.endpoints.replay({ deliveryId: params.id, workspaceId });
  if (record === undefined)
    throw new Refusal('not_found', 'There is no delivery with this id in the workspace.');
  await audit(services, caller, { action: 'delivery.replayed', subject: `delivery:${record.id}` });
  return { status: 202, body: presentDelivery(record) };
});
