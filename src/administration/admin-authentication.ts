/** Whose admin token this is. The last use of each is noted beside the request, which neither waits for it nor fails with it. */
import type { Logger } from 'pino';
import {
  authenticateAdmin,
  noteAdminTokenUse,
  type AuthenticatedAdmin,
} from '#src/persistence/admin-tokens.ts';
import type { AdministrationServices } from './administrator.ts';

export type { AuthenticatedAdmin } from '#src/persistence/admin-tokens.ts';

/** Undefined for a token that is unknown, revoked or past its end. */
export type AuthenticateAdmin = (token: string) => Promise<AuthenticatedAdmin | undefined>;

/** A use within this after the noted one is not written again. */
const notedEveryMs = 60_000;

export const createAdminAuthentication = ({
  database,
  sealing,
  clock,
  logger,
}: AdministrationServices & { logger: Logger }): AuthenticateAdmin => {
  const noting = new Set<string>();

  const noteUse = ({ id, lastUsedAt }: AuthenticatedAdmin, now: number): void => {
    if (noting.has(id) || (lastUsedAt !== null && now - lastUsedAt.getTime() < notedEveryMs)) return;
    noting.add(id);
    noteAdminTokenUse(database, id, new Date(now))
      .catch((error: unknown) => logger.debug({ err: error }, 'the use of an admin token could not be noted'))
      .finally(() => noting.delete(id));
  };

  return async (token) => {
    const now = clock.now();
    const admin = await authenticateAdmin(database, sealing, token, new Date(now));
    if (admin !== undefined) noteUse(admin, now);
    return admin;
  };
};
