import { defineEntity, p } from '@mikro-orm/core';
import { AdminToken } from './admin-token.ts';

/** A browser signed in to the console as the admin of a token. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    id: p.uuid().primary(),
    /** Token of the admin; the session is valid only while the token is valid. */
    adminTokenId: () =>
      p.manyToOne(AdminToken).mapToPk().index().fieldName('admin_token_id').deleteRule('cascade'),
    secretHash: p.blob().unique(),
    createdAt: p.datetime(3),
    /** Time of the last use, rounded to the minute. */
    lastUsedAt: p.datetime(3),
    /** Latest time at which the session expires; an unused session ends earlier. */
    expiresAt: p.datetime(3),
  },
});
