/** Audit log of a workspace: actor, action and subject. Entries are only appended. */
import { expressionBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { kyselyQuery, runQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

/**
 * An entry. For example, `actor` is `admin:<token id>`, `action` is `number_key.revealed`, `subject` is `number:<id>`.
 */
export type AuditEntryRecord = Omit<Row<'AuditEntry'>, 'workspaceId'>;

/** A new entry, which must not contain secrets. */
export type NewAuditEntry = Omit<AuditEntryRecord, 'id' | 'detail'> & {
  workspaceId: string;
  detail?: Record<string, unknown>;
};

/**
 * Statement that appends an entry. The row of the workspace has the number of the last entry, so concurrent entries
 * wait for the lock of that row.
 */
const appending = kyselyQuery((queries, entry: Omit<NewAuditEntry, 'detail'> & { detail: string }) =>
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
  db: Pick<Statements, 'queries' | 'execute'>,
  { detail = {}, ...entry }: NewAuditEntry,
): Promise<void> => {
  await appending(db, { ...entry, detail: JSON.stringify(detail) });
};

/** Conditions of a search; an entry must match all of them. */
export type AuditFilters = {
  actor?: string | undefined;
  action?: string | undefined;
  /** Subject, such as `number:<id>`, or `number` for all numbers. */
  subject?: string | undefined;
  /** Text in the entry, or in the name of its subject or actor. */
  text?: string | undefined;
  since?: Date | undefined;
  /** End of the time range, exclusive. */
  until?: Date | undefined;
};

/** Condition that an entry, or the name of its subject or actor, contains a text in any case. */
const containing = (workspaceId: string, text: string) => {
  const { eb, or, ref, selectFrom } = expressionBuilder<Tables, 'AuditEntry'>();
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const digits = text.replaceAll(/[\s-]/g, '');
  const tokens = (kind: 'admin' | 'admin_token') =>
    selectFrom('AdminToken')
      .select(({ ref: of }) => sql<string>`${sql.lit(`${kind}:`)} || ${of('AdminToken.id')}`.as('named'))
      .where('AdminToken.workspaceId', '=', workspaceId)
      .where('AdminToken.name', 'ilike', pattern);
  return or([
    eb('action', 'ilike', pattern),
    eb('actor', 'ilike', pattern),
    eb('subject', 'ilike', pattern),
    eb(sql<string>`${ref('detail')}::text`, 'ilike', pattern),
    eb('actor', 'in', tokens('admin')),
    eb('subject', 'in', tokens('admin_token')),
    eb(
      'subject',
      'in',
      selectFrom('WebhookEndpoint')
        .select(({ ref: of }) => sql<string>`'webhook:' || ${of('WebhookEndpoint.id')}`.as('named'))
        .where('WebhookEndpoint.workspaceId', '=', workspaceId)
        .where('WebhookEndpoint.url', 'ilike', pattern),
    ),
    eb(
      'subject',
      'in',
      selectFrom('TrunkRow')
        .select(({ ref: of }) => sql<string>`'trunk:' || ${of('TrunkRow.id')}`.as('named'))
        .where('TrunkRow.workspaceId', '=', workspaceId)
        .where('TrunkRow.name', 'ilike', pattern),
    ),
    ...(/^\d+$/.test(digits)
      ? [
          eb(
            'subject',
            'in',
            selectFrom('PhoneNumber')
              .select(({ ref: of }) => sql<string>`'number:' || ${of('PhoneNumber.id')}`.as('named'))
              .where('PhoneNumber.workspaceId', '=', workspaceId)
              .where('PhoneNumber.number', 'like', `%${digits}%`),
          ),
        ]
      : []),
  ]);
};

/** Lists entries, newest first. `before` is the id of the last entry of the previous page. */
export const listAudit = (
  db: Database,
  {
    workspaceId,
    limit,
    before = Number.MAX_SAFE_INTEGER,
    actor,
    action,
    subject,
    text,
    since,
    until,
  }: AuditFilters & { workspaceId: string; limit: number; before?: number | undefined },
): Promise<AuditEntryRecord[]> => {
  let query = db.queries
    .selectFrom('AuditEntry')
    .select(['id', 'actor', 'action', 'subject', 'at', 'detail'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '<', before);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (action !== undefined) query = query.where('action', '=', action);
  if (subject?.includes(':') === true) query = query.where('subject', '=', subject);
  else if (subject !== undefined) query = query.where(sql<string>`split_part(subject, ':', 1)`, '=', subject);
  if (text !== undefined) query = query.where(containing(workspaceId, text));
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  return runQuery(db, query.orderBy('id', 'desc').limit(limit));
};
