import { defineEntity, p } from '@mikro-orm/core';
import { adminRoles } from '#src/domain/admin-role.ts';
import { Workspace } from './workspace.ts';

/** Token of a workspace admin; only its fingerprint is stored. */
export const AdminToken = defineEntity({
  name: 'AdminToken',
  tableName: 'admin_token',
  properties: {
    id: p.uuid().primary(),
    workspaceId: () => p.manyToOne(Workspace).mapToPk().index().fieldName('workspace_id'),
    name: p.text(),
    role: p.enum(adminRoles).default('admin'),
    tokenHash: p.blob().unique(),
    /** Id of the fingerprint's master key; null if it was not recorded. */
    tokenKeyId: p.text().nullable(),
    createdAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
    /** Expiry; null for a token that does not expire. */
    expiresAt: p.datetime(3).nullable(),
    /** Time of the last use, rounded to the minute. */
    lastUsedAt: p.datetime(3).nullable(),
    /** Gateway that created the token for its credentials file; null for a requested token. */
    node: p.text().nullable(),
  },
});
