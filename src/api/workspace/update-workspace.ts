import * as z from 'zod';
import { requireTurnEnd } from '#src/administration/choose-turn-end.ts';
import { changeWorkspace } from '#src/administration/administer-workspaces.ts';
import { administratorOf } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { presentWorkspace, workspace, workspaceFields } from './workspace-schema.ts';

export const updateWorkspace = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/workspace',
  operationId: 'updateWorkspace',
  tag: 'Workspace',
  summary: 'Change the workspace of this token',
  description:
    'Changes what is given, for calls that begin from now on; a policy field that is null falls back to the platform. A policy that a number sets itself stays.',
  auth: 'admin',
  body: z
    .strictObject(workspaceFields)
    .partial()
    .meta({ example: { time_zone: 'Asia/Seoul', max_duration_sec: 900, recording_enabled: null } }),
  responses: { 200: { description: 'The workspace.', schema: workspace } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, body }, services) => {
  requireTurnEnd(services.engines, body.turnEnd);
  const changed = await changeWorkspace(administratorOf(services, caller), body);
  return { status: 200, body: presentWorkspace(services, changed), timeZone: changed.timeZone };
});
