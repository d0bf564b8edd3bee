import { defineEntity, p } from '@mikro-orm/core';
import { Workspace } from './workspace.ts';

/** Who did what to what. It never holds a secret. */
export const AuditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.bigint().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().fieldName('workspace_id'),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    at: p.datetime(3),
    detail: p.json(),
  },
  indexes: [{ name: 'audit_entry_workspace_id_id_index', properties: ['workspaceId', 'id'] }],
});
