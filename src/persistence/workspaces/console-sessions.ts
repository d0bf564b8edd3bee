/** Browser sessions of the console (guides/design/administration.md, "Signing in to the console"). */
import { expressionBuilder } from 'kysely';
import { authenticatedAs, authenticatedColumns, isValidAt, type AuthenticatedAdmin } from './admin-tokens.ts';
import { ConsoleSession } from './console-session.ts';
import type { Database } from '../database/database.ts';
import { secondsAgo } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Sealing } from '../database/sealing.ts';
import type { Statements } from '../database/statements.ts';
import type { Row, Tables } from '../database/tables.ts';

export type NewSession = Omit<Row<'ConsoleSession'>, 'lastUsedAt'>;

/** A session with its admin. */
export type FoundSession = { id: string; lastUsedAt: Date; admin: AuthenticatedAdmin };

/** Time of a look-up. Sessions last used before `unusedSince` have expired. */
type Moment = { at: Date; unusedSince: Date };

const withSecret = (fingerprints: readonly Buffer[]) => {
  const { eb, fn, val } = expressionBuilder<Tables, 'ConsoleSession'>();
  return eb('ConsoleSession.secretHash', '=', fn.any(val(fingerprints)));
};

const valid = kyselyQuery(
  (queries, { fingerprints, at, unusedSince }: Moment & { fingerprints: readonly Buffer[] }) =>
    queries
      .selectFrom('ConsoleSession')
      .innerJoin('AdminToken', 'AdminToken.id', 'ConsoleSession.adminTokenId')
      .innerJoin('Workspace', 'Workspace.id', 'AdminToken.workspaceId')
      .select(['ConsoleSession.id as sessionId', 'ConsoleSession.lastUsedAt as sessionUsedAt'])
      .select(authenticatedColumns)
      .where(withSecret(fingerprints))
      .where('ConsoleSession.expiresAt', '>', at)
      .where('ConsoleSession.lastUsedAt', '>', unusedSince)
      .where(isValidAt(at)),
);

const use = kyselyQuery((queries, { id, at }: { id: string; at: Date }) =>
  queries
    .updateTable('ConsoleSession')
    .set({ lastUsedAt: at })
    .where('id', '=', id)
    .where('lastUsedAt', '<', at),
);

const ending = kyselyQuery((queries, { fingerprints }: { fingerprints: readonly Buffer[] }) =>
  queries.deleteFrom('ConsoleSession').where(withSecret(fingerprints)),
);

const endingAll = kyselyQuery((queries, { adminTokenId }: { adminTokenId: string }) =>
  queries.deleteFrom('ConsoleSession').where('adminTokenId', '=', adminTokenId).returning('id'),
);

export const createSession = async (db: Database, session: NewSession): Promise<void> => {
  await db.entityManager().insert(ConsoleSession, { ...session, lastUsedAt: session.createdAt });
};

/** Returns the session; undefined if it is unknown or expired, or if its token is revoked or expired. */
export const findSession = async (
  db: Database,
  sealing: Sealing,
  secret: string,
  moment: Moment,
): Promise<FoundSession | undefined> => {
  const [row] = await valid(db, { ...moment, fingerprints: sealing.fingerprints(secret) });
  if (row === undefined) return undefined;
  const { sessionId, sessionUsedAt, ...admin } = row;
  return { id: sessionId, lastUsedAt: sessionUsedAt, admin: authenticatedAs(admin) };
};

/** Records the last use of a session. The latest time wins, regardless of the order of writes. */
export const noteSessionUse = async (db: Database, id: string, at: Date): Promise<void> => {
  await use(db, { id, at });
};

export const endSession = async (db: Database, sealing: Sealing, secret: string): Promise<void> => {
  await ending(db, { fingerprints: sealing.fingerprints(secret) });
};

/** Deletes all sessions of an admin token. Resolves to their number. */
export const endSessionsOf = async (db: Database, adminTokenId: string): Promise<number> =>
  (await endingAll(db, { adminTokenId })).length;

const forgetting = kyselyQuery((queries, { unusedSec }: { unusedSec: number }) =>
  queries
    .deleteFrom('ConsoleSession')
    .where(({ eb, or, lit }) =>
      or([eb('expiresAt', '<', secondsAgo(lit(0))), eb('lastUsedAt', '<', secondsAgo(unusedSec))]),
    ),
);

/** Deletes expired sessions. */
export const deleteEndedSessions = async (db: Statements, unusedSec: number): Promise<void> => {
  await forgetting(db, { unusedSec });
};
