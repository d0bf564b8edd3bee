/**
 * Authenticates admin tokens. The time of a token's last use is stored in the background: requests neither wait for
 * this write nor fail with it.
 */
import type { Logger } from 'pino';
import {
  authenticateAdmin,
  fingerprintOf,
  noteAdminTokenUse,
  renewFingerprint,
  type AuthenticatedAdmin,
} from '#src/persistence/workspaces/admin-tokens.ts';
import type { AdministrationServices } from './administrator.ts';

export type { AuthenticatedAdmin } from '#src/persistence/workspaces/admin-tokens.ts';

/** Returns undefined for an unknown, revoked or expired token. */
export type AuthenticateAdmin = (token: string) => Promise<AuthenticatedAdmin | undefined>;

/** Minimum interval between two stored times of a token's use. */
const notedEveryMs = 60_000;

export const createAdminAuthentication = ({
  database,
  sealing,
  clock,
  logger,
}: AdministrationServices & { logger: Logger }): AuthenticateAdmin => {
  const noting = new Set<string>();

  /**
   * The stored fingerprint of a token is updated to the newest master key when the token is used, because the token
   * itself is not stored.
   */
  const renew = async ({ id, tokenKeyId }: AuthenticatedAdmin, token: string): Promise<void> => {
    if (tokenKeyId !== sealing.keyId) await renewFingerprint(database, id, fingerprintOf(sealing, token));
  };

  const noteUse = (admin: AuthenticatedAdmin, token: string, now: number): void => {
    const { id, lastUsedAt, tokenKeyId } = admin;
    const isNoted =
      tokenKeyId === sealing.keyId && lastUsedAt !== null && now - lastUsedAt.getTime() < notedEveryMs;
    if (noting.has(id) || isNoted) return;
    noting.add(id);
    renew(admin, token)
      .then(() => noteAdminTokenUse(database, id, new Date(now)))
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'the last use of an admin token could not be stored'),
      )
      .finally(() => noting.delete(id));
  };

  return async (token) => {
    const now = clock.now();
    const admin = await authenticateAdmin(database, sealing, token, new Date(now));
    if (admin !== undefined) noteUse(admin, token, now);
    return admin;
  };
};
