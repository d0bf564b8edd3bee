/** The audit log of a workspace: who did what to what. It is only ever appended to. */
import type { Database } from './database.ts';

export type AuditEntryRecord = {
  /** Counts up in the workspace. */
  id: number;
  /** Such as `admin:<token id>`. */
  actor: string;
  /** Such as `number_key.revealed`. */
  action: string;
  /** Such as `number:<id>`. */
  subject: string;
  at: Date;
  detail: Record<string, unknown>;
};

/** `detail` must hold no secret. */
export const appendAudit = async (
  db: Database,
  entry: Omit<AuditEntryRecord, 'id' | 'detail'> & { workspaceId: string; detail?: Record<string, unknown> },
): Promise<void> => {
  await db.execute(
    `with counted as (
       update workspace set audit_entries = audit_entries + 1 where id = $1 returning id, audit_entries
     )
     insert into audit_entry (workspace_id, id, actor, action, subject, at, detail)
     select id, audit_entries, $2, $3, $4, $5, $6 from counted`,
    [
      entry.workspaceId,
      entry.actor,
      entry.action,
      entry.subject,
      entry.at,
      JSON.stringify(entry.detail ?? {}),
    ],
  );
};

/** Newest first; `before` is the id of the last entry of the page before. */
export const listAudit = (
  db: Database,
  query: { workspaceId: string; limit: number; before?: number | undefined },
): Promise<AuditEntryRecord[]> =>
  db.execute<AuditEntryRecord>(
    `select id, actor, action, subject, at, detail from audit_entry
     where workspace_id = $1 and id < $2 order by id desc limit $3`,
    [query.workspaceId, query.before ?? Number.MAX_SAFE_INTEGER, query.limit],
  );
