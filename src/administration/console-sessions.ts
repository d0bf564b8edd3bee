/** Console sessions: sign-in and sign-out (guides/design/administration.md, "Signing in to the console"). */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Refusal } from '#src/domain/refusal.ts';
import { noteAdminTokenUse, type AuthenticatedAdmin } from '#src/persistence/workspaces/admin-tokens.ts';
import {
  createSession,
  endSession,
  endSessionsOf,
  findSession,
  noteSessionUse,
  type FoundSession,
} from '#src/persistence/workspaces/console-sessions.ts';
import { createLink, openLink } from '#src/persistence/workspaces/sign-in-links.ts';
import { note, type AdministrationServices, type Administrator } from './administrator.ts';
import { newSessionSecret, newSignInCode } from './new-key.ts';

/** Longest duration of a session. */
export const longestSessionSec = 30 * 86_400;

/** Time without use after which a session ends. */
export const unusedSessionSec = 7 * 86_400;

/** Lifetime of a sign-in link. */
export const signInLinkSec = 600;

/** Minimum interval between two stored times of a session's use. */
const notedEveryMs = 60_000;

/** Admin token with which a browser signs in. */
type Owner = { id: string; workspaceId: string };

/** Creates a session. Resolves to the secret of the session's cookie, which is not stored. */
export const beginSession = async (
  services: AdministrationServices,
  { id: adminTokenId, workspaceId }: Owner,
  by: 'token' | 'link',
): Promise<string> => {
  const { database, sealing, clock } = services;
  const secret = newSessionSecret();
  const createdAt = new Date(clock.now());
  await createSession(database, {
    id: randomUUID(),
    adminTokenId,
    secretHash: sealing.fingerprint(secret),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + longestSessionSec * 1_000),
  });
  const actor = `admin:${adminTokenId}`;
  await note(
    { ...services, workspaceId, actor },
    { action: 'session.began', subject: `admin_token:${adminTokenId}`, detail: { by } },
  );
  return secret;
};

export const finishSession = ({ database, sealing }: AdministrationServices, secret: string): Promise<void> =>
  endSession(database, sealing, secret);

/** Ends all sessions that were created with this token. */
export const finishSessionsOf = async (administrator: Administrator, adminTokenId: string): Promise<void> => {
  const sessions = await endSessionsOf(administrator.database, adminTokenId);
  await note(administrator, {
    action: 'sessions.ended',
    subject: `admin_token:${adminTokenId}`,
    detail: { sessions },
  });
};

/** Returns the admin of a session; undefined if the session or its token is no longer valid. */
export type AuthenticateSession = (secret: string) => Promise<AuthenticatedAdmin | undefined>;

/**
 * Authenticates the cookies of console sessions. The time of a session's last use is stored in the background: requests
 * neither wait for this write nor fail with it.
 */
export const createSessionAuthentication = ({
  database,
  sealing,
  clock,
  logger,
}: AdministrationServices & { logger: Logger }): AuthenticateSession => {
  const noting = new Set<string>();

  const noteUse = ({ id, lastUsedAt, admin }: FoundSession, now: number): void => {
    const tokenUsedAt = admin.lastUsedAt?.getTime() ?? -Infinity;
    const notedAt = Math.min(lastUsedAt.getTime(), tokenUsedAt);
    if (noting.has(id) || now - notedAt < notedEveryMs) return;
    noting.add(id);
    const at = new Date(now);
    Promise.all([noteSessionUse(database, id, at), noteAdminTokenUse(database, admin.id, at)])
      .catch((error: unknown) =>
        logger.debug({ err: error }, 'the last use of a session could not be stored'),
      )
      .finally(() => noting.delete(id));
  };

  return async (secret) => {
    const now = clock.now();
    const moment = { at: new Date(now), unusedSince: new Date(now - unusedSessionSec * 1_000) };
    const found = await findSession(database, sealing, secret, moment);
    if (found !== undefined) noteUse(found, now);
    return found?.admin;
  };
};

/** Creates a URL that signs a browser in once. The part after # is not sent to servers and therefore not logged. */
export const makeSignInLink = async (
  { database, sealing, clock }: AdministrationServices,
  adminTokenId: string,
  consoleUrl: string,
): Promise<string> => {
  const code = newSignInCode();
  const createdAt = new Date(clock.now());
  await createLink(database, {
    id: randomUUID(),
    adminTokenId,
    codeHash: sealing.fingerprint(code),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + signInLinkSec * 1_000),
  });
  return `${consoleUrl}#/sign-in/${code}`;
};

const anotherOne = 'Have another one printed: npm run admin -- sign-in-link';

/** Redeems the code of a sign-in link. Throws a Refusal: `sign_in_link_used`, or `sign_in_link_expired`. */
export const openSignInLink = async (
  { database, sealing, clock }: AdministrationServices,
  code: string,
): Promise<Owner> => {
  const opened = await openLink(database, sealing, code, new Date(clock.now()));
  if (opened === 'used')
    throw new Refusal('sign_in_link_used', `This link was opened before, and works once. ${anotherOne}`);
  if (opened === 'over')
    throw new Refusal('sign_in_link_expired', `This link is past its ten minutes. ${anotherOne}`);
  return opened;
};
