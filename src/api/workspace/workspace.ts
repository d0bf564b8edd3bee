import * as z from 'zod';
import { requireTurnEnd } from '#src/administration/choose-turn-end.ts';
import { changeWorkspace, workspaceOf } from '#src/administration/administer-workspaces.ts';
import { defineRoute } from '../http/route.ts';
import { presentWorkspace, workspace, workspaceFields } from './workspace-schema.ts';

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

export const updateWorkspace = defineRoute({
  method: 'patch',
  path: '/api/v1/admin/workspace',
  operationId: 'updateWorkspace',
  tag: 'Workspace',
  summary: 'Change the workspace of this token',
  description:
    'Changes the given fields for calls that begin from now on; a policy field that is null falls back to the platform. Policies of numbers are unchanged.',
  auth: 'admin',
  body: z
    .strictObject(workspaceFields)
    .partial()
    .meta({ example: { time_zone: 'Asia/Seoul', max_duration_sec: 900, recording_enabled: null } }),
  responses: { 200: { description: 'The workspace.', schema: workspace } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, body }, services) => {
  requireTurnEnd(services.directory.engines, body.turnEnd);
  const changed = await changeWorkspace(services.directory.administrator(caller), body);
  return {
    status: 200,
    body: presentWorkspace(services.directory.platform, changed),
    timeZone: changed.timeZone,
  };
});
