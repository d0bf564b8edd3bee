import { defineEntity, p } from '@mikro-orm/core';
import { AdminToken } from './admin-token.ts';

/** A browser that is signed in to the console as the admin of a token. */
export const ConsoleSession = defineEntity({
  name: 'ConsoleSession',
  tableName: 'console_session',
  properties: {
    id: p.uuid().primary(),
    /** It is good for as long as this token is. */
    adminTokenId: () =>
      p.manyToOne(AdminToken).mapToPk().index().fieldName('admin_token_id').deleteRule('cascade'),
    secretHash: p.blob().unique(),
    createdAt: p.datetime(3),
    /** To the minute. */
    lastUsedAt: p.datetime(3),
    /** At the latest; one that is not used ends before. */
    expiresAt: p.datetime(3),
  },
});
