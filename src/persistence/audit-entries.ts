/** The audit log of a workspace: who did what to what. It is only ever appended to. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';

/** `actor` is such as `admin:<token id>`, `action` such as `number_key.revealed`, `subject` such as `number:<id>`. */
export type AuditEntryRecord = Omit<Row<'AuditEntry'>, 'workspaceId'>;

/** `detail` must hold no secret. */
export type NewAuditEntry = Omit<AuditEntryRecord, 'id' | 'detail'> & {
  workspaceId: string;
  detail?: Record<string, unknown>;
};

/** The next number of the workspace is counted in its row, which concurrent entries wait for. */
const appending = prepared((queries, entry: Omit<NewAuditEntry, 'detail'> & { detail: string }) =>
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

export const appendAudit = async (
  db: Pick<Statements, 'queries' | 'run'>,
  { detail = {}, ...entry }: NewAuditEntry,
): Promise<void> => {
  await appending(db, { ...entry, detail: JSON.stringify(detail) });
};

/** Conditions that an entry must meet, all of them. */
export type AuditFilters = {
  actor?: string | undefined;
  action?: string | undefined;
  /** Such as `number:<id>`, or `number` for all numbers. */
  subject?: string | undefined;
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
};

/** Newest first; `before` is the id of the last entry of the page before. */
export const listAudit = (
  { queries, run }: Database,
  {
    workspaceId,
    limit,
    before = Number.MAX_SAFE_INTEGER,
    actor,
    action,
    subject,
    since,
    until,
  }: AuditFilters & { workspaceId: string; limit: number; before?: number | undefined },
): Promise<AuditEntryRecord[]> => {
  let query = queries
    .selectFrom('AuditEntry')
    .select(['id', 'actor', 'action', 'subject', 'at', 'detail'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '<', before);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (subject?.includes(':') === true) query = query.where('subject', '=', subject);
  else if (subject !== undefined) query = query.where(sql<string>`split_part(subject, ':', 1)`, '=', subject);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  return run(query.orderBy('id', 'desc').limit(limit).compile());
};
