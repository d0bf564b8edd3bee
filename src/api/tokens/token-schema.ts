/** An admin token in the admin API, without its secret. */
import * as z from 'zod';
import { adminRoles } from '#src/domain/admin-role.ts';
import type { AdminTokenRecord } from '#src/administration/administer-tokens.ts';
import type { Decoded } from '../http/codec.ts';
import { name, timestamp } from '../fields.ts';
import { idInPath } from '../ids.ts';

export const tokenInPath = z.object({ id: idInPath('The admin token.') });

export const tokenFields = {
  name: name.meta({ description: 'Its user or purpose.', example: 'Dashboard' }),
  role: z.enum(adminRoles).meta({
    description: '`viewer` reads everything except keys; `admin` may also change things.',
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
    last_used_at: timestamp.nullable().meta({ description: 'To the minute; null if it was never used.' }),
    gateway: z.string().nullable().meta({
      description: 'The gateway (`GW_NODE`) that created it for its `dev-credentials.json`; null for others.',
      example: null,
    }),
    is_current: z.boolean().meta({ description: 'Whether this request was sent with this token.' }),
  })
  .meta({ id: 'AdminToken' });

export const tokenWithSecret = z
  .object({
    ...token.shape,
    token: z.string().meta({ description: 'Shown only once.', example: 'gw_admin_…' }),
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
