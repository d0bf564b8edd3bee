/** The audit log of a workspace: who did what to what. It is only ever appended to. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import type { Row } from './tables.ts';

/** `actor` is such as `admin:<token id>`, `action` such as `number_key.revealed`, `subject` such as `number:<id>`. */
export type AuditEntryRecord = Omit<Row<'AuditEntry'>, 'workspaceId'>;

type NewEntry = Omit<AuditEntryRecord, 'id' | 'detail'> & { workspaceId: string };

/** The next number of the workspace is counted in its row, which concurrent entries wait for. */
const appending = prepared((queries, entry: NewEntry & { detail: string }) =>
  queries
    .with('counted', (query) =>
      query
        .updateTable('Workspace')
        .set(({ eb }) => ({ auditEntries: eb('auditEntries', '+', 1) }))
        .where('id', '=', entry.workspaceId)
        .returning(['id', 'auditEntries']),
    )
    .insertInto('AuditEntry')
    .columns(['workspaceId', 'id', 'actor', 'action', 'subject', 'at', 'detail'])
    .expression((query) =>
      query
        .selectFrom('counted')
        .select(({ val }) => [
          'counted.id as workspaceId',
          'counted.auditEntries as id',
          val(entry.actor).as('actor'),
          val(entry.action).as('action'),
          val(entry.subject).as('subject'),
          val(entry.at).as('at'),
          sql`${entry.detail}::jsonb`.as('detail'),
        ]),
    ),
);

const page = prepared(
  (queries, { workspaceId, before, limit }: { workspaceId: string; before: number; limit: number }) =>
    queries
      .selectFrom('AuditEntry')
      .select(['id', 'actor', 'action', 'subject', 'at', 'detail'])
      .where('workspaceId', '=', workspaceId)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(limit),
);

/** `detail` must hold no secret. */
export const appendAudit = async (
  db: Database,
  { detail = {}, ...entry }: NewEntry & { detail?: Record<string, unknown> },
): Promise<void> => {
  await appending(db, { ...entry, detail: JSON.stringify(detail) });
};

/** Newest first; `before` is the id of the last entry of the page before. */
export const listAudit = (
  db: Database,
  {
    before = Number.MAX_SAFE_INTEGER,
    ...query
  }: { workspaceId: string; limit: number; before?: number | undefined },
): Promise<AuditEntryRecord[]> => page(db, { ...query, before });
