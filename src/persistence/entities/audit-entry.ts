import { defineEntity, p } from '@mikro-orm/core';
import { Workspace } from './workspace.ts';

/** An entry of the audit log: who did what to what. It never holds a secret. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    workspaceId: () => p.manyToOne(Workspace).mapToPk().primary().fieldName('workspace_id'),
    /** Counts up in the workspace. */
    id: p.bigint('number').primary(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    at: p.datetime(3),
    detail: p.json().$type<Record<string, unknown>>(),
  },
});
