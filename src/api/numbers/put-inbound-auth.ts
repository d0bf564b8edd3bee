import * as z from 'zod';
import { changeInboundAuth, type InboundAuth } from '#src/administration/number-agents.ts';
import { invalidField } from '#src/domain/refusal.ts';
import { exampleSecret, text } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { requireUsableUrl } from '../usable-url.ts';
import { inboundAuth, numberInPath } from './number-schema.ts';

export const putInboundAuth = defineRoute({
  method: 'put',
  path: '/api/v1/admin/numbers/{id}/inbound-auth',
  operationId: 'putInboundAuth',
  tag: 'Numbers',
  summary: 'Decide how callers are let in',
  description:
    '`none` accepts every caller. `handshake` asks `url` about each caller before the call is answered; `200 {session_token}` accepts the caller, and the token is sent with every request to the inbound agent endpoint. The request is signed like events, with the `secret` that is shown once, when the handshake is enabled.',
  auth: 'admin',
  params: numberInPath,
  body: z
    .strictObject({
      method: z.enum(['none', 'handshake']),
      url: text(2048).nullish().meta({
        description:
          'Required for `handshake`. https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it.',
      }),
    })
    .meta({ example: { method: 'handshake', url: 'https://example.com/let-in' } }),
  responses: {
    200: {
      description: 'The stored setting.',
      schema: inboundAuth.extend({
        secret: z.string().optional().meta({
          description: 'Signs the handshake. Present only when it was just created.',
          example: exampleSecret,
        }),
      }),
    },
  },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { method } = body;
  const url = body.url || null;
  if (method === 'handshake' && url === null) {
    throw invalidField({ path: 'url', message: 'The method "handshake" needs a URL to ask.' });
  }
  if (url !== null) await requireUsableUrl(services, 'url', url);
  const auth: InboundAuth = method === 'handshake' && url !== null ? { method, url } : { method: 'none' };
  return {
    status: 200,
    body: await changeInboundAuth(services.directory.administrator(caller), params.id, auth),
  };
});
