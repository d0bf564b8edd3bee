import { workspaceOf } from '#src/administration/administer-workspaces.ts';
import { defineRoute } from '../http/route.ts';
import { presentWorkspace, workspace } from './workspace-schema.ts';

export const getWorkspace = defineRoute({
  method: 'get',
  path: '/api/v1/admin/workspace',
  operationId: 'getWorkspace',
  tag: 'Workspace',
  summary: 'Read the workspace of this token',
  description:
    'Its time zone, its call policy and its limits: its own settings (null falls back to the platform), and the resulting values.',
  auth: 'viewer',
  responses: { 200: { description: 'The workspace.', schema: workspace } },
  refusals: ['not_found'],
}).handledBy(async ({ caller }, services) => {
  const found = await workspaceOf(services.directory.administrator(caller));
  return {
    status: 200,
    body: presentWorkspace(services.directory.platform, found),
    timeZone: found.timeZone,
  };
});
