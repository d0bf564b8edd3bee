import { defineEntity, p } from '@mikro-orm/core';
import { AdminToken } from './admin-token.ts';

/** A link that signs one browser in to the console, once. */
export const SignInLink = defineEntity({
  name: 'SignInLink',
  tableName: 'sign_in_link',
  properties: {
    id: p.uuid().primary(),
    /** As whose admin the browser is signed in. */
    adminTokenId: () =>
      p.manyToOne(AdminToken).mapToPk().index().fieldName('admin_token_id').deleteRule('cascade'),
    codeHash: p.blob().unique(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Null until it was opened. */
    usedAt: p.datetime(3).nullable(),
  },
});
