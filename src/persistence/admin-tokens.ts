/** Tokens of workspace admins; only their fingerprints are kept (guides/design/administration.md, "Admin tokens"). */
import type { AdminRole } from '#src/domain/admin-role.ts';
import type { Database } from './database.ts';
import { nodeIsTaken } from './node-session.ts';
import type { Sealing } from './sealing.ts';

export type AuthenticatedAdmin = {
  /** Of the token: audit entries name it as their actor. */
  id: string;
  name: string;
  role: AdminRole;
  lastUsedAt: Date | null;
  workspace: { id: string; timeZone: string };
};

export type AdminTokenRecord = {
  id: string;
  workspaceId: string;
  name: string;
  role: AdminRole;
  createdAt: Date;
  /** Null for a token that is valid until it is revoked. */
  expiresAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  /** The gateway that made it for its file of credentials; null for a token that somebody asked for. */
  node: string | null;
};

type NewToken = Pick<AdminTokenRecord, 'id' | 'workspaceId' | 'name' | 'createdAt'> & {
  tokenHash: Buffer;
} & Partial<Pick<AdminTokenRecord, 'role' | 'expiresAt'>>;

const columns = `id, workspace_id as "workspaceId", name, role, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt", node`;

/** A token without a role is an admin's; without an end it is valid until it is revoked. */
export const createAdminToken = async (db: Database, token: NewToken): Promise<void> => {
  await db.execute(
    `insert into admin_token (id, workspace_id, name, token_hash, created_at, role, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      token.id,
      token.workspaceId,
      token.name,
      token.tokenHash,
      token.createdAt,
      token.role ?? 'admin',
      token.expiresAt ?? null,
    ],
  );
};

/**
 * The token of a gateway's own file of credentials. In the same transaction the ones that it made before are revoked,
 * and those of gateways that do not run: nobody has them any more. Resolves to the revoked ones.
 */
export const replaceGatewayToken = (
  db: Database,
  token: NewToken & { node: string },
): Promise<{ id: string; workspaceId: string }[]> =>
  db.execute<{ id: string; workspaceId: string }>(
    `with made as (
       insert into admin_token (id, workspace_id, name, token_hash, created_at, node) values ($1, $2, $3, $4, $5, $6)
     )
     update admin_token set revoked_at = $5
     where revoked_at is null and node is not null and (node = $6 or not ${nodeIsTaken('node')})
     returning id, workspace_id as "workspaceId"`,
    [token.id, token.workspaceId, token.name, token.tokenHash, token.createdAt, token.node],
  );

/** The gateway that keeps the token in its file of credentials may have another name than the one that made it. */
export const adoptGatewayToken = async (db: Database, id: string, node: string): Promise<void> => {
  await db.execute('update admin_token set node = $2 where id = $1 and node is not null and node <> $2', [
    id,
    node,
  ]);
};

/** Undefined for a token that is unknown, revoked or past its end. */
export const authenticateAdmin = async (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
  token: string,
  at: Date,
): Promise<AuthenticatedAdmin | undefined> => {
  const [row] = await db.execute<
    Pick<AuthenticatedAdmin, 'id' | 'name' | 'role' | 'lastUsedAt'> & {
      workspaceId: string;
      timeZone: string;
    }
  >(
    `select admin_token.id, admin_token.name, admin_token.role, admin_token.last_used_at as "lastUsedAt",
       workspace.id as "workspaceId", workspace.time_zone as "timeZone"
     from admin_token join workspace on workspace.id = admin_token.workspace_id
     where admin_token.token_hash = any ($1::bytea[]) and admin_token.revoked_at is null
       and (admin_token.expires_at is null or admin_token.expires_at > $2)`,
    [sealing.fingerprints(token), at],
  );
  if (row === undefined) return undefined;
  const { workspaceId, timeZone, ...admin } = row;
  return { ...admin, workspace: { id: workspaceId, timeZone } };
};

/** Also one that is not valid any more; undefined for a token that this database never held. */
export const findAdminToken = async (
  db: Database,
  sealing: Pick<Sealing, 'fingerprints'>,
  token: string,
): Promise<AdminTokenRecord | undefined> => {
  const [row] = await db.execute<AdminTokenRecord>(
    `select ${columns} from admin_token where token_hash = any ($1::bytea[])`,
    [sealing.fingerprints(token)],
  );
  return row;
};

/** Those that were not revoked, the oldest first. */
export const listAdminTokens = (db: Database, workspaceId: string): Promise<AdminTokenRecord[]> =>
  db.execute<AdminTokenRecord>(
    `select ${columns} from admin_token where workspace_id = $1 and revoked_at is null order by created_at, id`,
    [workspaceId],
  );

/** The later use wins, whichever is written first. */
export const noteAdminTokenUse = async (db: Database, id: string, at: Date): Promise<void> => {
  await db.execute(
    'update admin_token set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
    [id, at],
  );
};

/**
 * From now on the token is unknown. A workspace keeps at least one valid token of an admin: `last` when this is it.
 * Locking them all lets two admins who revoke each other at the same time go one after the other.
 */
export const revokeAdminToken = async (
  db: Database,
  token: { id: string; workspaceId: string; at: Date },
): Promise<AdminTokenRecord | 'last' | 'unknown'> => {
  const [row] = await db.execute<AdminTokenRecord & { isLast: boolean; isRevoked: boolean }>(
    `with admins as (
       select id from admin_token
       where workspace_id = $2 and role = 'admin' and revoked_at is null and (expires_at is null or expires_at > $3)
       order by id for update
     ), verdict as (
       select exists (select from admins where id = $1) and not exists (select from admins where id <> $1) as is_last
     ), revoked as (
       update admin_token set revoked_at = $3
       where id = $1 and workspace_id = $2 and revoked_at is null and not (select is_last from verdict)
       returning *
     )
     select ${columns}, verdict.is_last as "isLast", id is not null as "isRevoked"
     from verdict left join revoked on true`,
    [token.id, token.workspaceId, token.at],
  );
  if (row === undefined || (!row.isLast && !row.isRevoked)) return 'unknown';
  return row.isLast ? 'last' : row;
};
