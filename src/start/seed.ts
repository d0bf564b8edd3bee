/**
 * What a newcomer needs to place a first call: at the first start a workspace with one number, a number key and an
 * admin token. Later starts find them again; a lost credentials file is made anew (decisions 7).
 */
import { randomUUID } from 'node:crypto';
import { authenticateAdmin, createAdminToken } from '#src/persistence/admin-tokens.ts';
import { appendAudit } from '#src/persistence/audit.ts';
import { StartError } from '#src/domain/start-error.ts';
import type { Database } from '#src/persistence/database.ts';
import { newAdminToken, newNumberKey } from '#src/api/new-key.ts';
import { authenticateNumber, findNumberKey, putNumberKey } from '#src/persistence/number-keys.ts';
import { createNumber, listNumbers } from '#src/persistence/numbers.ts';
import type { Vault } from '#src/persistence/vault.ts';
import { createWorkspace, firstWorkspace } from '#src/persistence/workspaces.ts';
import { readCredentials, type StoredCredentials } from './credentials.ts';

/** A number that Korean operators do not assign. */
const firstNumber = '07000000000';

type Seeded = Omit<StoredCredentials, 'base_url' | 'console_url'>;

type Seeding = { database: Database; vault: Vault; dataFolder: string };

const stillValid = async ({ database, vault, dataFolder }: Seeding): Promise<Seeded | undefined> => {
  const known = await readCredentials(dataFolder);
  if (known === undefined) return undefined;
  const number = await authenticateNumber(database, vault, known.number_key);
  const admin = await authenticateAdmin(database, vault, known.admin_token);
  if (number === undefined || admin === undefined) return undefined;
  const { workspace_id, number_id, number_key, admin_token } = known;
  return { workspace_id, number_id, number: number.number, number_key, admin_token };
};

const madeWorkspace = async (database: Database): Promise<string> => {
  const id = randomUUID();
  await createWorkspace(database, { id, name: 'Trunkline', createdAt: new Date() });
  return id;
};

const numberOf = async (database: Database, workspaceId: string): Promise<{ id: string; number: string }> => {
  const [first] = await listNumbers(database, workspaceId);
  if (first !== undefined) return first;
  const made = await createNumber(database, {
    id: randomUUID(),
    workspaceId,
    number: firstNumber,
    language: 'ko',
    createdAt: new Date(),
  });
  if (made === undefined) throw new Error('The first number could not be made');
  return made;
};

const openKey = (vault: Vault, sealed: string, numberId: string): string => {
  try {
    return vault.open(sealed, numberId);
  } catch (cause) {
    throw new StartError(
      'GW_MASTER_KEY (or the file master-key in the data folder) is not the key that sealed the secrets in this ' +
        'database; give the earlier key back, or add it to GW_OLD_MASTER_KEYS',
      { cause },
    );
  }
};

const keyOf = async ({ database, vault }: Seeding, numberId: string): Promise<string> => {
  const sealed = (await findNumberKey(database, numberId))?.keySealed;
  if (sealed !== undefined && sealed !== null) return openKey(vault, sealed, numberId);
  const key = newNumberKey();
  await putNumberKey(database, {
    numberId,
    keyHash: vault.fingerprint(key),
    keySealed: vault.seal(key, numberId),
    issuedAt: new Date(),
  });
  return key;
};

/** Throws a StartError when the master key is not the one of the database. */
export const seed = async (seeding: Seeding): Promise<Seeded> => {
  const known = await stillValid(seeding);
  if (known !== undefined) return known;
  const { database, vault } = seeding;
  const workspaceId = (await firstWorkspace(database))?.id ?? (await madeWorkspace(database));
  const number = await numberOf(database, workspaceId);
  const numberKey = await keyOf(seeding, number.id);
  const adminToken = newAdminToken();
  await createAdminToken(database, {
    id: randomUUID(),
    workspaceId,
    name: 'first start',
    tokenHash: vault.fingerprint(adminToken),
    createdAt: new Date(),
  });
  await appendAudit(database, {
    workspaceId,
    actor: 'gateway',
    action: 'credentials.written',
    subject: number.id,
    at: new Date(),
    detail: {},
  });
  return {
    workspace_id: workspaceId,
    number_id: number.id,
    number: number.number,
    number_key: numberKey,
    admin_token: adminToken,
  };
};
