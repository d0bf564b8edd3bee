import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { ApiServices } from '../api-services.ts';
import { defineRoute } from '../http/route.ts';
import { presentToken, token } from './token-schema.ts';

const tokensOf = async ({ directory, operation }: ApiServices, { id, workspace }: AuthenticatedAdmin) => {
  const now = operation.clock.now();
  const records = await directory.tokens(workspace.id);
  return records.map((record) => ({ ...presentToken(record, now), isCurrent: record.id === id }));
};

export const listTokens = defineRoute({
  method: 'get',
  path: '/api/v1/admin/tokens',
  operationId: 'listTokens',
  tag: 'Workspace',
  summary: 'List the admin tokens',
  description:
    'Valid tokens of the workspace, oldest first, with role, expiry and last use. The tokens themselves are not stored.',
  auth: 'viewer',
  responses: { 200: { description: 'The tokens.', schema: z.object({ tokens: z.array(token) }) } },
  refusals: [],
}).handledBy(async ({ caller }, services) => ({
  status: 200,
  body: { tokens: await tokensOf(services, caller) },
}));

export const getCurrentToken = defineRoute({
  method: 'get',
  path: '/api/v1/admin/tokens/current',
  operationId: 'getCurrentToken',
  tag: 'Workspace',
  summary: 'The token of this request',
  description: 'Its role and its expiry.',
  auth: 'viewer',
  responses: { 200: { description: 'The token.', schema: token } },
  refusals: ['not_found'],
}).handledBy(async ({ caller }, services) => {
  const current = (await tokensOf(services, caller)).find(({ isCurrent }) => isCurrent);
  if (current === undefined) throw new Refusal('not_found', 'This token was revoked just now.');
  return { status: 200, body: current };
});
