import * as z from 'zod';
import { numberNotFound } from '#src/administration/numbers.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { putInboundAuth as storeInboundAuth } from '#src/persistence/numbers.ts';
import { audit } from '../audit.ts';
import { exampleSecret, text } from '../fields.ts';
import { defineRoute } from '../route.ts';
import { requireUsableUrl } from '../usable-url.ts';
import { invalidField } from '../validated.ts';
import { findOwnNumber } from './find-own-number.ts';
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
  const number = await findOwnNumber(services, caller, params.id);
  const isNew = method === 'handshake' && number.inboundAuthMethod !== 'handshake';
  const secret = isNew ? newEndpointSecret() : undefined;
  const stored = await storeInboundAuth(
    services.database,
    { numberId: number.id, workspaceId: number.workspaceId },
    method === 'handshake' && url !== null
      ? { method, url, secretSealed: secret && services.sealing.seal(secret, number.id) }
      : { method: 'none' },
  );
  if (stored === undefined) throw numberNotFound();
  await audit(services, caller, {
    action: 'inbound_auth.changed',
    subject: `number:${number.id}`,
    detail: { method },
  });
  return {
    status: 200,
    body: {
      method: stored.inboundAuthMethod,
      url: stored.inboundAuthUrl,
      ...(secret === undefined ? {} : { secret }),
    },
  };
});
