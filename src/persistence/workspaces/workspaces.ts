/** Workspaces, which own all other data. */
import type { Database } from '../database/database.ts';
import { Workspace } from './workspace.ts';
import { given, oldestFirst, recordOf, type Patch } from '../database/records.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, type Row } from '../database/tables.ts';

/** A stored workspace, without the number of its audit log entries. */
export type WorkspaceRecord = Omit<Row<'Workspace'>, 'auditEntries'>;

/** Settings of a workspace that admins may change. */
export type WorkspacePatch = Patch<Omit<WorkspaceRecord, 'id' | 'createdAt'>>;

const columns = columnsOf('Workspace').filter((column) => column !== 'auditEntries');

/** Creates a workspace. Missing settings inherit the platform's policy and time zone. */
export const createWorkspace = async (
  db: Database,
  workspace: Pick<WorkspaceRecord, 'id' | 'name' | 'createdAt'> & Partial<WorkspaceRecord>,
): Promise<void> => {
  await db.entityManager().insert(Workspace, workspace);
};

export const findWorkspace = async (db: Database, id: string): Promise<WorkspaceRecord | undefined> => {
  const workspace = await db.entityManager().findOne(Workspace, { id });
  return workspace === null ? undefined : recordOf<WorkspaceRecord>(workspace, columns);
};

/**
 * Changes the settings for calls that begin afterwards. Resolves to the changed workspace; undefined if it does not
 * exist.
 */
export const patchWorkspace = async (
  db: Database,
  id: string,
  patch: WorkspacePatch,
): Promise<WorkspaceRecord | undefined> => {
  const manager = db.entityManager();
  const workspace = await manager.findOne(Workspace, { id });
  if (workspace === null) return undefined;
  manager.assign(workspace, given(patch));
  await manager.flush();
  return recordOf<WorkspaceRecord>(workspace, columns);
};

const locking = kyselyQuery((queries, { ids }: { ids: readonly string[] }) =>
  queries
    .selectFrom('Workspace')
    .select('id')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    // Rows are locked in a fixed order, which prevents deadlocks.
    .orderBy('id')
    .forNoKeyUpdate(),
);

/**
 * Locks the workspaces' rows until the transaction ends. Other transactions that lock one of these rows wait;
 * references by foreign keys do not wait.
 */
export const lockWorkspaces = async (db: Statements, ids: readonly string[]): Promise<void> => {
  await locking(db, { ids });
};

/** Lists the workspaces, oldest first. */
export const listWorkspaces = async (db: Database): Promise<WorkspaceRecord[]> => {
  const workspaces = await db.entityManager().find(Workspace, {}, { orderBy: oldestFirst });
  return workspaces.map((workspace) => recordOf<WorkspaceRecord>(workspace, columns));
};

/** Returns the oldest workspace; undefined in a fresh database. */
export const firstWorkspace = async (db: Database): Promise<WorkspaceRecord | undefined> => {
  const [first] = await db.entityManager().find(Workspace, {}, { orderBy: oldestFirst, limit: 1 });
  return first && recordOf<WorkspaceRecord>(first, columns);
};
