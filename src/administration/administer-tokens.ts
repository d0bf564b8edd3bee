/** Creates and revokes admin tokens of a workspace (guides/design/administration.md, "Admin tokens"). */
import { randomUUID } from 'node:crypto';
import type { AdminRole } from '#src/domain/admin-role.ts';
import { Refusal } from '#src/domain/refusal.ts';
import {
  createAdminToken,
  fingerprintOf,
  revokeTokenRow,
  type AdminTokenRecord,
} from '#src/persistence/workspaces/admin-tokens.ts';
import { note, type Administrator } from './administrator.ts';
import { newAdminToken } from './new-key.ts';

export { listAdminTokens, type AdminTokenRecord } from '#src/persistence/workspaces/admin-tokens.ts';

export type AdminTokenRequest = {
  name: string;
  role: AdminRole;
  /** Null for a token that is valid until it is revoked. */
  expiresAt: Date | null;
};

/** Creates an admin token. The result is the only place where the token itself is returned. */
export const makeAdminToken = async (
  administrator: Administrator,
  { name, role, expiresAt }: AdminTokenRequest,
): Promise<{ record: AdminTokenRecord; token: string }> => {
  const { database, sealing, clock, workspaceId } = administrator;
  const token = newAdminToken();
  const made = { id: randomUUID(), workspaceId, name, role, expiresAt, createdAt: new Date(clock.now()) };
  await createAdminToken(database, { ...made, ...fingerprintOf(sealing, token) });
  await note(administrator, {
    action: 'admin_token.created',
    subject: `admin_token:${made.id}`,
    detail: { name, role, ...(expiresAt === null ? {} : { expires_at: expiresAt }) },
  });
  return { record: { ...made, lastUsedAt: null, revokedAt: null, node: null }, token };
};

/**
 * Revokes a token. Throws a Refusal: `not_found`, or `last_admin_token` for the only token that may change the
 * workspace.
 */
export const revokeAdminToken = async (
  administrator: Administrator,
  id: string,
): Promise<AdminTokenRecord> => {
  const { database, clock, workspaceId } = administrator;
  const revoked = await revokeTokenRow(database, { id, workspaceId, at: new Date(clock.now()) });
  if (revoked === 'unknown')
    throw new Refusal('not_found', 'There is no token with this id in the workspace.');
  if (revoked === 'last') {
    throw new Refusal(
      'last_admin_token',
      'This is the only valid token of the role admin in the workspace. Make another one first, then revoke this one.',
    );
  }
  await note(administrator, {
    action: 'admin_token.revoked',
    subject: `admin_token:${id}`,
    detail: { name: revoked.name, role: revoked.role },
  });
  return revoked;
};
