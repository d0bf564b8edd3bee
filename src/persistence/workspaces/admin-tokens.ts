/**
 * Tokens of workspace admins, of which only fingerprints are stored (guides/design/administration.md, "Admin tokens").
 */
import { LockMode } from '@mikro-orm/core';
import { expressionBuilder } from 'kysely';
import type { AdminRole } from '#src/domain/admin-role.ts';
import { nodeHasSession } from '../database/advisory-locks.ts';
import type { Database } from '../database/database.ts';
import { AdminToken } from './admin-token.ts';
import { oldestFirst, recordOf } from '../database/records.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Sealing } from '../database/sealing.ts';
import { columnsOf, type Row, type Tables } from '../database/tables.ts';

export type AuthenticatedAdmin = {
  /** Id of the token, which is the actor of its audit entries. */
  id: string;
  name: string;
  role: AdminRole;
  lastUsedAt: Date | null;
  /** Id of the master key of the fingerprint; null if it was not recorded. */
  tokenKeyId: string | null;
  workspace: { id: string; timeZone: string };
};

/** A stored token without its fingerprint. The token itself is not stored. */
export type AdminTokenRecord = Omit<Row<'AdminToken'>, 'tokenHash' | 'tokenKeyId'>;

type Fingerprint = Pick<Row<'AdminToken'>, 'tokenHash' | 'tokenKeyId'>;

type NewToken = Pick<Row<'AdminToken'>, 'id' | 'workspaceId' | 'name' | 'createdAt'> &
  Fingerprint &
  Partial<Pick<AdminTokenRecord, 'role' | 'expiresAt'>>;

/** Fingerprint that identifies a token, made with the newest master key. */
export const fingerprintOf = (sealing: Sealing, token: string): Fingerprint => ({
  tokenHash: sealing.fingerprint(token),
  tokenKeyId: sealing.keyId,
});

const columns = columnsOf('AdminToken').filter((column) => column !== 'tokenHash' && column !== 'tokenKeyId');

const withFingerprint = (fingerprints: readonly Buffer[]) => {
  const { eb, fn, val } = expressionBuilder<Tables, 'AdminToken'>();
  return eb('AdminToken.tokenHash', '=', fn.any(val(fingerprints)));
};

/** Whether a token is neither revoked nor expired. */
export const isValidAt = (at: Date) => {
  const { and, eb, or } = expressionBuilder<Tables, 'AdminToken'>();
  return and([
    eb('AdminToken.revokedAt', 'is', null),
    or([eb('AdminToken.expiresAt', 'is', null), eb('AdminToken.expiresAt', '>', at)]),
  ]);
};

/** Columns of a token joined with its workspace, for `authenticatedAs`. */
export const authenticatedColumns = [
  'AdminToken.id',
  'AdminToken.name',
  'AdminToken.role',
  'AdminToken.lastUsedAt',
  'AdminToken.tokenKeyId',
  'AdminToken.workspaceId',
  'Workspace.timeZone',
] as const;

const valid = kyselyQuery((queries, { fingerprints, at }: { fingerprints: readonly Buffer[]; at: Date }) =>
  queries
    .selectFrom('AdminToken')
    .innerJoin('Workspace', 'Workspace.id', 'AdminToken.workspaceId')
    .select(authenticatedColumns)
    .where(withFingerprint(fingerprints))
    .where(isValidAt(at)),
);

const known = kyselyQuery((queries, { fingerprints }: { fingerprints: readonly Buffer[] }) =>
  queries.selectFrom('AdminToken').select(columns).where(withFingerprint(fingerprints)),
);

const use = kyselyQuery((queries, { id, at }: { id: string; at: Date }) =>
  queries
    .updateTable('AdminToken')
    .set({ lastUsedAt: at })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<', at)])),
);

const ofOtherKeys = kyselyQuery((queries, { keyId, at }: { keyId: string; at: Date }) =>
  queries
    .selectFrom('AdminToken')
    .select(columns)
    .where(({ eb, or }) => or([eb('tokenKeyId', 'is', null), eb('tokenKeyId', '<>', keyId)]))
    .where(isValidAt(at))
    .orderBy('createdAt')
    .orderBy('id'),
);

/** Stores a token. A token without a role is an admin token; a token without an end is valid until it is revoked. */
export const createAdminToken = async (db: Database, token: NewToken): Promise<void> => {
  await db.entityManager().insert(AdminToken, token);
};

/**
 * Stores the token of the gateway's own credentials file. The same transaction revokes the gateway's earlier tokens and
 * those of gateways that do not run, because these tokens are no longer used. Resolves to the revoked tokens.
 */
export const replaceGatewayToken = (
  db: Database,
  token: NewToken & { node: string },
): Promise<Pick<AdminTokenRecord, 'id' | 'workspaceId'>[]> =>
  db.queries
    .with('made', (query) => query.insertInto('AdminToken').values(token))
    .updateTable('AdminToken')
    .set({ revokedAt: token.createdAt })
    .where('revokedAt', 'is', null)
    .where('node', 'is not', null)
    .where(({ eb, not, or, ref }) => or([eb('node', '=', token.node), not(nodeHasSession(ref('node')))]))
    .returning(['id', 'workspaceId'])
    .execute();

/**
 * Changes the owner of the token: the gateway whose credentials file has the token may have another name than the
 * gateway that created it.
 */
export const adoptGatewayToken = async (db: Database, id: string, node: string): Promise<void> => {
  await db
    .entityManager()
    .nativeUpdate(AdminToken, { $and: [{ id }, { node: { $ne: null } }, { node: { $ne: node } }] }, { node });
};

/** Returns the token's admin; undefined for an unknown, revoked or expired token. */
export const authenticateAdmin = async (
  db: Database,
  sealing: Sealing,
  token: string,
  at: Date,
): Promise<AuthenticatedAdmin | undefined> => {
  const [row] = await valid(db, { fingerprints: sealing.fingerprints(token), at });
  return row && authenticatedAs(row);
};

export const authenticatedAs = ({
  workspaceId,
  timeZone,
  ...admin
}: Omit<AuthenticatedAdmin, 'workspace'> & {
  workspaceId: string;
  timeZone: string;
}): AuthenticatedAdmin => ({
  ...admin,
  workspace: { id: workspaceId, timeZone },
});

/** Returns the token even if it is no longer valid; undefined for a token that this database never stored. */
export const findAdminToken = async (
  db: Database,
  sealing: Sealing,
  token: string,
): Promise<AdminTokenRecord | undefined> =>
  (await known(db, { fingerprints: sealing.fingerprints(token) })).at(0);

/** Lists tokens that were not revoked, oldest first. */
export const listAdminTokens = async (db: Database, workspaceId: string): Promise<AdminTokenRecord[]> => {
  const tokens = await db
    .entityManager()
    .find(AdminToken, { workspaceId, revokedAt: null }, { orderBy: oldestFirst });
  return tokens.map((token) => recordOf<AdminTokenRecord>(token, columns));
};

/** Records the last use of a token. The latest time wins, regardless of the order of writes. */
export const noteAdminTokenUse = async (db: Database, id: string, at: Date): Promise<void> => {
  await use(db, { id, at });
};

/** Replaces the fingerprint of a token. */
export const renewFingerprint = async (db: Database, id: string, fingerprint: Fingerprint): Promise<void> => {
  await db.entityManager().nativeUpdate(AdminToken, { id }, fingerprint);
};

/** Returns valid tokens whose fingerprint may have been made with another master key, oldest first. */
export const tokensOfOtherKeys = (db: Database, keyId: string, at: Date): Promise<AdminTokenRecord[]> =>
  ofOtherKeys(db, { keyId, at });

/** Revokes a token. Resolves to `last`, and revokes nothing, if it is the last valid admin token of the workspace. */
export const revokeTokenRow = (
  db: Database,
  { id, workspaceId, at }: { id: string; workspaceId: string; at: Date },
): Promise<AdminTokenRecord | 'last' | 'unknown'> =>
  db.transaction(async (_statements, manager) => {
    // Rows are locked in a fixed order, so that two admins who revoke each other at the same time are serialized
    // without a deadlock.
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const tokens = await manager.find(
      AdminToken,
      { workspaceId, revokedAt: null },
      { lockMode, orderBy: { id: 'asc' } },
    );
    const token = tokens.find((one) => one.id === id);
    if (token === undefined) return 'unknown';
    const admins = tokens.filter(
      ({ role, expiresAt }) =>
        role === 'admin' && (expiresAt === null || expiresAt === undefined || expiresAt > at),
    );
    if (admins.length === 1 && admins[0] === token) return 'last';
    token.revokedAt = at;
    return recordOf<AdminTokenRecord>(token, columns);
  });
