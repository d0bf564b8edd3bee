/** Workspaces: created by the operator, changed by their admins. */
import { randomUUID } from 'node:crypto';
import { callPolicyFields } from '#src/domain/call-policy.ts';
import { Refusal } from '#src/domain/refusal.ts';
import {
  createWorkspace,
  findWorkspace,
  patchWorkspace,
  type WorkspacePatch,
  type WorkspaceRecord,
} from '#src/persistence/workspaces/workspaces.ts';
import {
  changesBetween,
  inWords,
  note,
  type AdministrationServices,
  type Administrator,
  type WorkspaceReader,
} from './administrator.ts';

export { listWorkspaces, type WorkspaceRecord } from '#src/persistence/workspaces/workspaces.ts';

/** Settings that an admin may change. */
const workspaceSettings = [
  'name',
  'timeZone',
  ...callPolicyFields,
  'maxCallsInProgress',
  'dailyMinutes',
] as const;

const workspaceNotFound = (): Refusal => new Refusal('not_found', 'This workspace does not exist.');

/** Returns a workspace. Throws a Refusal (`not_found`) for an unknown one. */
export const workspaceOf = async ({ database, workspaceId }: WorkspaceReader): Promise<WorkspaceRecord> => {
  const workspace = await findWorkspace(database, workspaceId);
  if (workspace === undefined) throw workspaceNotFound();
  return workspace;
};

/** Changes the settings of a workspace for future calls. Throws a Refusal (`not_found`) for an unknown workspace. */
export const changeWorkspace = async (
  administrator: Administrator,
  patch: WorkspacePatch,
): Promise<WorkspaceRecord> => {
  const { database, workspaceId } = administrator;
  const before = await workspaceOf(administrator);
  const after = await patchWorkspace(database, workspaceId, patch);
  if (after === undefined) throw workspaceNotFound();
  const changes = changesBetween(workspaceSettings, inWords(before), inWords(after));
  if (Object.keys(changes).length > 0) {
    await note(administrator, {
      action: 'workspace.changed',
      subject: `workspace:${workspaceId}`,
      detail: { changes },
    });
  }
  return after;
};

export const addWorkspace = async (
  { database, clock, actor, sealing }: AdministrationServices & Pick<Administrator, 'actor'>,
  settings: WorkspacePatch & { name: string },
): Promise<Administrator> => {
  const administrator = { database, clock, actor, sealing, workspaceId: randomUUID() };
  await createWorkspace(database, {
    id: administrator.workspaceId,
    name: settings.name,
    createdAt: new Date(clock.now()),
  });
  await patchWorkspace(database, administrator.workspaceId, settings);
  await note(administrator, {
    action: 'workspace.created',
    subject: `workspace:${administrator.workspaceId}`,
    detail: { name: settings.name },
  });
  return administrator;
};
