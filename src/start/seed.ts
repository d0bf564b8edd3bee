/**
 * Creates the data of the first start, so that a newcomer can place a call: a workspace with a number, a number key and
 * an admin token. Later starts reuse this data. A missing credentials file is created again, and the old token is
 * revoked (guides/design/start.md, "First workspace and number").
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import {
  adoptGatewayToken,
  findAdminToken,
  fingerprintOf,
  replaceGatewayToken,
  type AdminTokenRecord,
} from '#src/persistence/workspaces/admin-tokens.ts';
import { appendAudit } from '#src/persistence/workspaces/audit-entries.ts';
import { StartError } from '#src/domain/start-error.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { newAdminToken, newNumberKey, tailOf } from '#src/administration/new-key.ts';
import { authenticateNumber, findNumberKey, putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { createNumber, findNumber, listNumbers } from '#src/persistence/numbers/numbers.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { createWorkspace, firstWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { readCredentials, type StoredCredentials } from './credentials.ts';

/** Unassigned Korean numbers; the first free one is used. */
const firstNumbers = Array.from({ length: 100 }, (_, index) => `070000000${String(index).padStart(2, '0')}`);

type Seeded = Omit<StoredCredentials, 'base_url' | 'console_url'>;

type Seeding = {
  database: Database;
  sealing: Sealing;
  dataFolder: string;
  /** Name of this gateway among the gateways that share the database. */
  node: string;
  logger: Logger;
};

const madeWorkspace = async (database: Database): Promise<string> => {
  const id = randomUUID();
  await createWorkspace(database, { id, name: 'Trunkline', createdAt: new Date() });
  return id;
};

type FirstNumber = { id: string; number: string };

const madeNumber = async (database: Database, workspaceId: string): Promise<FirstNumber> => {
  const createdAt = new Date();
  for (const number of firstNumbers) {
    const made = await createNumber(database, {
      id: randomUUID(),
      workspaceId,
      number,
      language: 'ko',
      createdAt,
    });
    if (made !== undefined) return made;
  }
  throw new Error('The first number could not be made');
};

/** Returns the number of the credentials file if it exists, else the workspace's oldest number. */
const numberOf = async (
  database: Database,
  workspaceId: string,
  known: string | undefined,
): Promise<FirstNumber> => {
  const found =
    known === undefined ? undefined : await findNumber(database, { numberId: known, workspaceId });
  return found ?? (await listNumbers(database, workspaceId))[0] ?? madeNumber(database, workspaceId);
};

const openKey = (sealing: Sealing, sealed: string, numberId: string): string => {
  try {
    return sealing.open(sealed, numberId);
  } catch (cause) {
    throw new StartError(
      'GW_MASTER_KEY (or the file master-key in the data folder) is not the key that sealed the secrets in this ' +
        'database; restore the earlier key, or add it to GW_OLD_MASTER_KEYS',
      { cause },
    );
  }
};

const keyOf = async (
  { database, sealing }: Seeding,
  numberId: string,
  known: string | undefined,
): Promise<string> => {
  if (known !== undefined && (await authenticateNumber(database, sealing, known))?.id === numberId)
    return known;
  const sealed = (await findNumberKey(database, numberId))?.keySealed;
  if (sealed !== undefined && sealed !== null) return openKey(sealing, sealed, numberId);
  const key = newNumberKey();
  await putNumberKey(database, {
    numberId,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, numberId),
    keyTail: tailOf(key),
    issuedAt: new Date(),
  });
  return key;
};

/**
 * Claims the token for this gateway. Warns about a token that was revoked or has expired; such a token is not replaced.
 */
const keepToken = async ({ database, node, logger }: Seeding, token: AdminTokenRecord): Promise<void> => {
  await adoptGatewayToken(database, token.id, node);
  if (token.revokedAt === null && (token.expiresAt === null || token.expiresAt > new Date())) return;
  logger.warn(
    'the admin token in dev-credentials.json was revoked or has expired: make one with "npm run admin -- tokens create", or remove the file to get a new one at the next start',
  );
};

const madeToken = async (
  { database, sealing, node }: Seeding,
  workspaceId: string,
  numberId: string,
): Promise<string> => {
  const token = newAdminToken();
  const id = randomUUID();
  const at = new Date();
  const revoked = await replaceGatewayToken(database, {
    id,
    workspaceId,
    name: 'dev-credentials.json',
    ...fingerprintOf(sealing, token),
    createdAt: at,
    node,
  });
  for (const { id: lost, workspaceId: owner } of revoked)
    await appendAudit(database, {
      workspaceId: owner,
      actor: 'gateway',
      action: 'admin_token.revoked',
      subject: `admin_token:${lost}`,
      at,
    });
  await appendAudit(database, {
    workspaceId,
    actor: 'gateway',
    action: 'credentials.written',
    subject: `number:${numberId}`,
    at,
    detail: { admin_token: id },
  });
  return token;
};

/** Returns the data of the credentials file if the database has all of it; undefined otherwise. */
const findKept = async (seeding: Seeding, kept: StoredCredentials): Promise<Seeded | undefined> => {
  const { database, sealing } = seeding;
  const token = await findAdminToken(database, sealing, kept.admin_token);
  const number = await authenticateNumber(database, sealing, kept.number_key);
  if (token === undefined || number?.id !== kept.number_id) return undefined;
  if (number.workspace.id !== token.workspaceId) return undefined;
  await keepToken(seeding, token);
  return {
    workspace_id: token.workspaceId,
    number_id: number.id,
    number: number.number,
    number_key: kept.number_key,
    admin_token: kept.admin_token,
  };
};

const findOrMake = async (seeding: Seeding, kept: StoredCredentials | undefined): Promise<Seeded> => {
  const { database, sealing } = seeding;
  const token = kept && (await findAdminToken(database, sealing, kept.admin_token));
  // A credentials file whose token is unknown belongs to another database and is ignored.
  const known = token === undefined ? undefined : kept;
  const workspaceId =
    token?.workspaceId ?? (await firstWorkspace(database))?.id ?? (await madeWorkspace(database));
  const number = await numberOf(database, workspaceId, known?.number_id);
  const numberKey = await keyOf(seeding, number.id, known?.number_key);
  if (token !== undefined) await keepToken(seeding, token);
  return {
    workspace_id: workspaceId,
    number_id: number.id,
    number: number.number,
    number_key: numberKey,
    admin_token: known?.admin_token ?? (await madeToken(seeding, workspaceId, number.id)),
  };
};

/**
 * Finds the first data, or creates what is missing. If several gateways start on an empty database at once, only one of
 * them creates it. Throws a StartError if the master key does not match the database.
 */
export const seed = async (seeding: Seeding): Promise<Seeded> => {
  const kept = await readCredentials(seeding.dataFolder);
  const found = kept && (await findKept(seeding, kept));
  return found ?? seeding.database.withAdvisoryLock('first start', () => findOrMake(seeding, kept));
};
