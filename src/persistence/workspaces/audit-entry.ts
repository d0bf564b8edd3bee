import { defineEntity, p } from '@mikro-orm/core';
import { Workspace } from './workspace.ts';

/** Entry of the audit log: actor, action and subject. An entry never contains secrets. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    workspaceId: () => p.manyToOne(Workspace).mapToPk().primary().fieldName('workspace_id'),
    /** Sequence number within the workspace. */
    id: p.bigint('number').primary(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    at: p.datetime(3),
    detail: p.json().$type<Record<string, unknown>>(),
  },
});
