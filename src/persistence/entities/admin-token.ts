import { defineEntity, p } from '@mikro-orm/core';
import { adminRoles } from '#src/domain/admin-role.ts';
import { Workspace } from './workspace.ts';

/** A workspace admin's token; only its fingerprint is kept. */
export const AdminToken = defineEntity({
  name: 'AdminToken',
  tableName: 'admin_token',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    name: p.text(),
    role: p.enum(adminRoles).default('admin'),
    tokenHash: p.blob().unique(),
    /** The id of the master key that the fingerprint was made with; null where that was not noted yet. */
    tokenKeyId: p.text().nullable(),
    createdAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
    /** Null for a token that is valid until it is revoked. */
    expiresAt: p.datetime(3).nullable(),
    /** To the minute. */
    lastUsedAt: p.datetime(3).nullable(),
    /** The gateway that made it for its file of credentials; null for a token that somebody asked for. */
    node: p.text().nullable(),
  },
});
