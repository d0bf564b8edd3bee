import { revokeAdminToken, makeAdminToken } from '#src/administration/administer-tokens.ts';
import { defineRoute } from '../http/route.ts';
import { tokenInPath, presentToken, tokenFields, tokenWithSecret, token } from './token-schema.ts';
import * as z from 'zod';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import type { Decoded } from '../http/codec.ts';
import { moment } from '../fields.ts';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { ApiServices } from '../api-services.ts';

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

const dayMs = 86_400_000;

export const adminTokenRequest = z.strictObject({
  ...tokenFields,
  expires_at: moment.nullable().optional().meta({ description: 'Its expiry, in the future.' }),
  expires_in_days: z.int().min(1).max(3_650).nullable().optional().meta({
    description: 'Instead of `expires_at`: lifetime in days. Neither: until it is revoked.',
  }),
});

/** Returns the expiry of a token; null for a token that does not expire. Throws a Refusal (`invalid_request`). */
export const endOf = (
  { expiresAt: at = null, expiresInDays: days = null }: Decoded<z.output<typeof adminTokenRequest>>,
  now: number,
): Date | null => {
  if (at !== null && days !== null) {
    throw invalidField({
      path: 'expires_in_days',
      message: 'Give expires_at or expires_in_days, not both.',
    });
  }
  if (at !== null && at.getTime() <= now) {
    throw invalidField({ path: 'expires_at', message: 'This is not in the future.' });
  }
  return days === null ? at : new Date(now + days * dayMs);
};

export const createToken = defineRoute({
  method: 'post',
  path: '/api/v1/admin/tokens',
  operationId: 'createToken',
  tag: 'Workspace',
  summary: 'Create an admin token',
  description:
    'For a person or a program, with its own role. Only a fingerprint is stored: this response is the only one that contains the token.',
  auth: 'admin',
  body: adminTokenRequest.meta({ example: { name: 'Dashboard', role: 'viewer', expires_in_days: 90 } }),
  responses: { 201: { description: 'The token.', schema: tokenWithSecret } },
  refusals: [],
}).handledBy(async ({ caller, body }, services) => {
  const now = services.operation.clock.now();
  const { record, token } = await makeAdminToken(services.directory.administrator(caller), {
    name: body.name,
    role: body.role,
    expiresAt: endOf(body, now),
  });
  return { status: 201, body: { ...presentToken(record, now), isCurrent: false, token } };
});

export const revokeToken = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/tokens/{id}',
  operationId: 'revokeToken',
  tag: 'Workspace',
  summary: 'Revoke an admin token',
  description:
    'Invalidates the token; requests in progress complete. A token may revoke itself, but a workspace keeps at least one valid token of the role `admin`.',
  auth: 'admin',
  params: tokenInPath,
  responses: { 204: { description: 'Revoked.' } },
  refusals: ['not_found', 'last_admin_token'],
}).handledBy(async ({ caller, params }, services) => {
  await revokeAdminToken(services.directory.administrator(caller), params.id);
  return { status: 204 };
});
