/** Workspaces, which own all other data. */
import type { Database } from './database.ts';
import { Workspace } from './entities/workspace.ts';
import { patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { columnsOf, type Row } from './tables.ts';

/** Counter of the audit log's entries. */
export type WorkspaceRecord = Omit<Row<'Workspace'>, 'auditEntries'>;

/** Settings of a workspace that admins may change. */
export type WorkspacePatch = Patch<Omit<WorkspaceRecord, 'id' | 'createdAt'>>;

const columns = columnsOf('Workspace').filter((column) => column !== 'auditEntries');

const all = prepared((queries) =>
  queries.selectFrom('Workspace').select(columns).orderBy('createdAt').orderBy('id'),
);

const first = prepared((queries) =>
  queries.selectFrom('Workspace').select(columns).orderBy('createdAt').orderBy('id').limit(1),
);

const one = prepared((queries, { id }: { id: string }) =>
  queries.selectFrom('Workspace').select(columns).where('id', '=', id),
);

/** Missing settings inherit the platform's policy and time zone. */
export const createWorkspace = async (
  db: Database,
  workspace: Pick<WorkspaceRecord, 'id' | 'name' | 'createdAt'> & Partial<WorkspaceRecord>,
): Promise<void> => {
  await db.entityManager().insert(Workspace, workspace);
};

export const findWorkspace = async (db: Database, id: string): Promise<WorkspaceRecord | undefined> =>
  (await one(db, { id })).at(0);

/** Resolves to the changed workspace; undefined if it does not exist. Applies to calls that begin afterwards. */
export const patchWorkspace = async (
  db: Database,
  id: string,
  patch: WorkspacePatch,
): Promise<WorkspaceRecord | undefined> => {
  await patchRow(db, Workspace, { id }, patch);
  return findWorkspace(db, id);
};

const locking = prepared((queries, { ids }: { ids: readonly string[] }) =>
  queries
    .selectFrom('Workspace')
    .select('id')
    .where('id', '=', ({ fn, val }) => fn.any(val(ids)))
    // A fixed order prevents deadlocks.
    .orderBy('id')
    .forNoKeyUpdate(),
);

/** Others that lock one of the workspaces wait until the transaction ends; references by foreign keys do not wait. */
export const lockWorkspaces = async (db: Statements, ids: readonly string[]): Promise<void> => {
  await locking(db, { ids });
};

/** Oldest first. */
export const listWorkspaces = (db: Database): Promise<WorkspaceRecord[]> => all(db, {});

/** The oldest workspace; undefined in a fresh database. */
export const firstWorkspace = async (db: Database): Promise<WorkspaceRecord | undefined> =>
  (await first(db, {})).at(0);
