/** Workspaces, which own everything else. */
import type { InferEntity } from '@mikro-orm/core';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import type { Database } from './database.ts';
import { Workspace } from './entities/workspace.ts';

export type WorkspaceRecord = StoredCallPolicy & {
  id: string;
  name: string;
  /** IANA name. */
  timeZone: string;
  /** Over all numbers of the workspace; null falls back to the platform's. */
  maxCallsInProgress: number | null;
  createdAt: Date;
};

const present = (row: InferEntity<typeof Workspace>): WorkspaceRecord => ({
  id: row.id,
  name: row.name,
  timeZone: row.timeZone,
  maxDurationSec: row.maxDurationSec ?? null,
  defaultDurationSec: row.defaultDurationSec ?? null,
  silenceTimeoutSec: row.silenceTimeoutSec ?? null,
  ringTimeoutSec: row.ringTimeoutSec ?? null,
  maxConcurrentCalls: row.maxConcurrentCalls ?? null,
  recordingEnabled: row.recordingEnabled ?? null,
  maxCallsInProgress: row.maxCallsInProgress ?? null,
  createdAt: row.createdAt,
});

/** What is not given falls back to the platform's policy and time zone. */
export const createWorkspace = async (
  db: Database,
  workspace: Pick<WorkspaceRecord, 'id' | 'name' | 'createdAt'> & Partial<WorkspaceRecord>,
): Promise<void> => {
  await db.entityManager().insert(Workspace, workspace);
};

export const findWorkspace = async (db: Database, id: string): Promise<WorkspaceRecord | undefined> => {
  const row = await db.entityManager().findOne(Workspace, { id });
  return row === null ? undefined : present(row);
};

/** What an admin may change of a workspace; undefined leaves it as it is. */
export type WorkspacePatch = {
  [Name in keyof Omit<WorkspaceRecord, 'id' | 'createdAt'>]?: WorkspaceRecord[Name] | undefined;
};

/** Resolves to the workspace as it is then; undefined when there is none. It holds for calls that begin from now on. */
export const patchWorkspace = async (
  db: Database,
  id: string,
  patch: WorkspacePatch,
): Promise<WorkspaceRecord | undefined> => {
  const manager = db.entityManager();
  const row = await manager.findOne(Workspace, { id });
  if (row === null) return undefined;
  for (const [name, value] of Object.entries(patch))
    if (value !== undefined) Object.assign(row, { [name]: value });
  await manager.flush();
  return present(row);
};

/** The oldest first. */
export const listWorkspaces = async (db: Database): Promise<WorkspaceRecord[]> => {
  const rows = await db.entityManager().find(Workspace, {}, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return rows.map(present);
};

/** The oldest one; undefined in a fresh database. */
export const firstWorkspace = async (db: Database): Promise<WorkspaceRecord | undefined> => {
  const [row] = await db
    .entityManager()
    .find(Workspace, {}, { orderBy: { createdAt: 'asc', id: 'asc' }, limit: 1 });
  return row && present(row);
};
