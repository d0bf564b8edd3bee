import { defineEntity, p } from '@mikro-orm/core';
import { Workspace } from './workspace.ts';

/** A workspace admin's token; only its fingerprint is kept. */
export const AdminToken = defineEntity({
  name: 'AdminToken',
  tableName: 'admin_token',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    name: p.text(),
    tokenHash: p.blob().unique(),
    createdAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
  },
});
