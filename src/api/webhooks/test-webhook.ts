import * as z from 'zod';
import { serverTroubles } from '#src/domain/server-advice.ts';
import { audit } from '../http/audit.ts';
import { defineRoute } from '../http/route.ts';
import { webhookInPath } from './webhook-schema.ts';

export const testWebhook = defineRoute({
  method: 'post',
  path: '/api/v1/admin/webhooks/{id}/test',
  operationId: 'testWebhook',
  tag: 'Webhooks',
  summary: 'Test a webhook endpoint',
  description:
    'Sends one event of the type `webhook.test` at once and returns the result, with advice if it was not delivered.',
  auth: 'admin',
  params: webhookInPath,
  responses: {
    200: {
      description: 'The result.',
      schema: z.object({
        http_status: z.int().nullable().meta({ description: 'Null without a response.', example: 204 }),
        error: z.string().nullable().meta({ description: 'Null when it was delivered.' }),
        duration_ms: z.number().meta({ example: 84 }),
        code: z.enum(serverTroubles).nullable().meta({
          description: 'A stable code of the cause. Null when it was delivered.',
          example: null,
        }),
        advice: z.string().nullable().meta({
          description: 'The cause in a sentence, with advice. Null when it was delivered.',
          example: null,
        }),
      }),
    },
  },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { advice, ...went } = await services.events.webhookTests.send({
    id: params.id,
    workspaceId: caller.workspace.id,
  });
  await audit(services, caller, { action: 'webhook.tested', subject: `webhook:${params.id}` });
  return { status: 200, body: { ...went, code: advice?.code ?? null, advice: advice?.words ?? null } };
});
