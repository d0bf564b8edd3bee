/** Tokens of workspace admins; only their fingerprints are kept (decisions 6). */
import type { Database } from './database.ts';
import type { Vault } from './vault.ts';

export type AuthenticatedAdmin = {
  /** Of the token: audit entries name it as their actor. */
  id: string;
  name: string;
  workspace: { id: string; timeZone: string };
};

export const createAdminToken = async (
  db: Database,
  token: { id: string; workspaceId: string; name: string; tokenHash: Buffer; createdAt: Date },
): Promise<void> => {
  await db.execute(
    'insert into admin_token (id, workspace_id, name, token_hash, created_at) values ($1, $2, $3, $4, $5)',
    [token.id, token.workspaceId, token.name, token.tokenHash, token.createdAt],
  );
};

/** Undefined for a token that is unknown or revoked. */
export const authenticateAdmin = async (
  db: Database,
  vault: Pick<Vault, 'fingerprints'>,
  token: string,
): Promise<AuthenticatedAdmin | undefined> => {
  const [row] = await db.execute<{ id: string; name: string; workspaceId: string; timeZone: string }>(
    `select admin_token.id, admin_token.name, workspace.id as "workspaceId", workspace.time_zone as "timeZone"
     from admin_token join workspace on workspace.id = admin_token.workspace_id
     where admin_token.token_hash = any ($1::bytea[]) and admin_token.revoked_at is null`,
    [vault.fingerprints(token)],
  );
  return row && { id: row.id, name: row.name, workspace: { id: row.workspaceId, timeZone: row.timeZone } };
};

/** From now on the token is unknown. Resolves to whether there was such a token to revoke. */
export const revokeAdminToken = async (
  db: Database,
  token: { id: string; workspaceId: string; at: Date },
): Promise<boolean> => {
  const rows = await db.execute(
    `update admin_token set revoked_at = $3 where id = $1 and workspace_id = $2 and revoked_at is null returning id`,
    [token.id, token.workspaceId, token.at],
  );
  return rows.length > 0;
};
