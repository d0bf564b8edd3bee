import { revokeAdminToken } from '#src/administration/administer-tokens.ts';
import { defineRoute } from '../http/route.ts';
import { tokenInPath } from './token-schema.ts';

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
