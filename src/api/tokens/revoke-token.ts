import { revokeAdminToken } from '#src/administration/administer-tokens.ts';
import { administratorOf } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { tokenInPath } from './token-schema.ts';

export const revokeToken = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/tokens/{id}',
  operationId: 'revokeToken',
  tag: 'Workspace',
  summary: 'Revoke an admin token',
  description:
    'It is unknown from now on; what is being answered to it goes on to its end. A token may revoke itself, but a workspace keeps one valid token of the role `admin`.',
  auth: 'admin',
  params: tokenInPath,
  responses: { 204: { description: 'It is revoked.' } },
  refusals: ['not_found', 'last_admin_token'],
}).handledBy(async ({ caller, params }, services) => {
  await revokeAdminToken(administratorOf(services, caller), params.id);
  return { status: 204 };
});
