/**
 * The credentials file for a newcomer's first call. The first start creates it as `dev-credentials.json` (mode 0600) in
 * the data folder; each start updates the address in it (guides/design/start.md, "Credentials file").
 */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { dataFolderError } from './data-folder.ts';
import type { AdministrationServices } from '#src/administration/administrator.ts';
import { makeSignInLink } from '#src/administration/console-sessions.ts';
import { authenticateAdmin } from '#src/persistence/workspaces/admin-tokens.ts';

const stored = z.object({
  base_url: z.string(),
  console_url: z.string(),
  workspace_id: z.uuid(),
  number_id: z.uuid(),
  number: z.string(),
  number_key: z.string(),
  admin_token: z.string(),
});

export type StoredCredentials = z.infer<typeof stored>;

/** Credentials, and the path of the file that contains them. */
export type Credentials = StoredCredentials & { file: string };

export const credentialsFile = (dataFolder: string): string => join(dataFolder, 'dev-credentials.json');

/** Reads the credentials file; returns `undefined` without a valid file. */
export const readCredentials = async (dataFolder: string): Promise<StoredCredentials | undefined> => {
  let text: string;
  try {
    text = await readFile(credentialsFile(dataFolder), 'utf8');
  } catch {
    return undefined;
  }
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/**
 * Writes the credentials to a temporary file and renames it, so that readers always see a complete file, and a full
 * disk keeps the old one. Throws a StartError if the data folder cannot be written.
 */
export const writeCredentials = async (
  dataFolder: string,
  credentials: StoredCredentials,
): Promise<Credentials> => {
  const file = credentialsFile(dataFolder);
  const written = `${file}.${randomUUID()}`;
  try {
    await writeFile(written, `${JSON.stringify(credentials, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    await rename(written, file);
  } catch (cause) {
    await rm(written, { force: true }).catch(() => {});
    throw dataFolderError(dataFolder, cause);
  }
  return { ...credentials, file };
};

/**
 * Creates a sign-in link for the admin of the credentials. Returns undefined if the admin's token is revoked or
 * expired.
 */
export const linkOfCredentials = async (
  services: AdministrationServices,
  { admin_token: token, console_url: consoleUrl }: Pick<Credentials, 'admin_token' | 'console_url'>,
): Promise<string | undefined> => {
  const { database, sealing, clock } = services;
  const admin = await authenticateAdmin(database, sealing, token, new Date(clock.now()));
  return admin && makeSignInLink(services, admin.id, consoleUrl);
};
