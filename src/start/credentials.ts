/**
 * The file of credentials, with all that a newcomer needs to place a first call. It is made at the first start and kept
 * in `dev-credentials.json` (mode 0600) in the data folder; each start brings its address up to date
 * (guides/design/start.md, "Credentials file").
 */
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { dataFolderError } from './data-folder.ts';

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

/** With the path of the file that holds them. */
export type Credentials = StoredCredentials & { file: string };

export const credentialsFile = (dataFolder: string): string => join(dataFolder, 'dev-credentials.json');

/** `undefined` when there is no such file or it is not what was once written there. */
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
 * Written beside its place and moved there: whoever reads it meanwhile finds the whole of one or the other, and a full
 * disk leaves the one that was there. Throws a StartError when the data folder does not take them.
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
