import * as z from 'zod';
import { changeInboundAuth, type InboundAuth } from '#src/administration/number-agents.ts';
import { invalidField } from '#src/domain/refusal.ts';
import { administratorOf } from '../audit.ts';
import { exampleSecret, text } from '../fields.ts';
import { defineRoute } from '../route.ts';
import { requireUsableUrl } from '../usable-url.ts';
import { inboundAuth, numberInPath } from './number-schema.ts';

export const putInboundAuth = defineRoute({
  method: 'put',
  path: '/api/v1/admin/numbers/{id}/inbound-auth',
  operationId: 'putInboundAuth',
  tag: 'Numbers',
  summary: 'Decide how callers are let in',
  description:
    '`none` lets everybody in. `handshake` asks `url` about each caller before the call is answered; `200 {session_token}` lets the caller in, and the token goes with every request to the inbound agent endpoint. The question is signed as events are, with the `secret` that is shown once, when handshake is switched on.',
  auth: 'admin',
  params: numberInPath,
  body: z
    .strictObject({
      method: z.enum(['none', 'handshake']),
      url: text(2048).nullish().meta({ description: 'Needed for `handshake`; https only.' }),
    })
    .meta({ example: { method: 'handshake', url: 'https://example.com/let-in' } }),
  responses: {
    200: {
      description: 'The setting as it is stored.',
      schema: inboundAuth.extend({
        secret: z
          .string()
          .optional()
          .meta({ description: 'Signs the handshake. Only when it was newly made.', example: exampleSecret }),
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
  return { status: 200, body: await changeInboundAuth(administratorOf(services, caller), params.id, auth) };
});
