import { defineEntity, p } from '@mikro-orm/core';
import { AdminToken } from './admin-token.ts';

/** A single-use link that signs a browser in to the console. */
export const SignInLink = defineEntity({
  name: 'SignInLink',
  tableName: 'sign_in_link',
  properties: {
    id: p.uuid().primary(),
    /** Token of the admin as whom the browser is signed in. */
    adminTokenId: () =>
      p.manyToOne(AdminToken).mapToPk().index().fieldName('admin_token_id').deleteRule('cascade'),
    codeHash: p.blob().unique(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** Time at which the link was opened; null until then. */
    usedAt: p.datetime(3).nullable(),
  },
});
