/** Signing in to the console, and out of it (guides/design/administration.md, "Signing in to the console"). */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Refusal } from '#src/domain/refusal.ts';
import { noteAdminTokenUse, type AuthenticatedAdmin } from '#src/persistence/admin-tokens.ts';
import {
  createSession,
  endSession,
  endSessionsOf,
  findSession,
  noteSessionUse,
  type FoundSession,
} from '#src/persistence/console-sessions.ts';
import { createLink, openLink } from '#src/persistence/sign-in-links.ts';
import { note, type AdministrationServices, type Administrator } from './administrator.ts';
import { newSessionSecret, newSignInCode } from './new-key.ts';

/** A browser stays signed in for so long at most. */
export const longestSessionSec = 30 * 86_400;

/** One that was not used for so long is signed out. */
export const unusedSessionSec = 7 * 86_400;

/** The time for which a sign-in link can be opened. */
export const signInLinkSec = 600;

/** A use within this after the noted one is not written again. */
const notedEveryMs = 60_000;

/** Of an admin token. */
type Owner = { id: string; workspaceId: string };

/** Signs a browser in. Resolves to the secret that its cookie holds, which is kept nowhere else. */
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

/** Signs every browser out that is signed in by this token. */
export const finishSessionsOf = async (administrator: Administrator, adminTokenId: string): Promise<void> => {
  const sessions = await endSessionsOf(administrator.database, adminTokenId);
  await note(administrator, {
    action: 'sessions.ended',
    subject: `admin_token:${adminTokenId}`,
    detail: { sessions },
  });
};

/** The admin of a session; undefined where it is over, or its token is. */
export type AuthenticateSession = (secret: string) => Promise<AuthenticatedAdmin | undefined>;

/** The last use is noted beside the request, which neither waits for it nor fails with it. */
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
      .catch((error: unknown) => logger.debug({ err: error }, 'the use of a session could not be noted'))
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

/** The address that signs a browser in once. What stands behind the # is in no log and goes to no other server. */
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

/** Throws a Refusal: `sign_in_link_used`, or `sign_in_link_expired`. */
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
