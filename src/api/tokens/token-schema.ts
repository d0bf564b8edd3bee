/** An admin token in the admin API, without its secret. */
import * as z from 'zod';
import { adminRoles } from '#src/domain/admin-role.ts';
import type { AdminTokenRecord } from '#src/administration/administer-tokens.ts';
import type { Decoded } from '../codec.ts';
import { name, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';

export const tokenInPath = z.object({ id: idInPath('The admin token.') });

export const tokenFields = {
  name: name.meta({ description: 'Who or what it is for.', example: 'Dashboard' }),
  role: z.enum(adminRoles).meta({
    description: '`viewer` reads everything but keys; `admin` changes things as well.',
    example: 'viewer',
  }),
};

export const token = z
  .object({
    id: z.uuid(),
    ...tokenFields,
    state: z.enum(['active', 'expired']),
    created_at: timestamp,
    expires_at: timestamp.nullable().meta({ description: 'Null: valid until it is revoked.' }),
    last_used_at: timestamp.nullable().meta({ description: 'To the minute; null when it was never used.' }),
    gateway: z.string().nullable().meta({
      description: 'The gateway (`GW_NODE`) that made it for its `dev-credentials.json`; null for others.',
      example: null,
    }),
    is_current: z.boolean().meta({ description: 'Whether this request was sent with it.' }),
  })
  .meta({ id: 'AdminToken' });

export const tokenWithSecret = z
  .object({
    ...token.shape,
    token: z.string().meta({ description: 'Shown this once.', example: 'gw_admin_…' }),
  })
  .meta({ id: 'AdminTokenWithSecret' });

export const presentToken = (
  record: AdminTokenRecord,
  now: number,
): Omit<Decoded<z.output<typeof token>>, 'isCurrent'> => ({
  ...record,
  state: record.expiresAt !== null && record.expiresAt.getTime() <= now ? 'expired' : 'active',
  gateway: record.node,
});
