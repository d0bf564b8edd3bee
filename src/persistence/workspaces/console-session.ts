import { defineEntity, p } from '@mikro-orm/core';
import { AdminToken } from './admin-token.ts';

/** A browser signed in to the console as the admin of a token. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    id: p.uuid().primary(),
    /** Valid only while this token is. */
    adminTokenId: () =>
      p.manyToOne(AdminToken).mapToPk().index().fieldName('admin_token_id').deleteRule('cascade'),
    secretHash: p.blob().unique(),
    createdAt: p.datetime(3),
    /** Precision: one minute. */
    lastUsedAt: p.datetime(3),
    /** Latest expiry; an unused session ends earlier. */
    expiresAt: p.datetime(3),
  },
});
