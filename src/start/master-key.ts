/**
 * The master key, which seals secrets. With the embedded database the key is created once and stored in the data folder
 * (guides/design/start.md, "Master key").
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#src/domain/start-error.ts';
import { dataFolderError } from './data-folder.ts';

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Reads the stored key; returns `undefined` if there is none. */
const readKey = async (file: string): Promise<Buffer | undefined> => {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new StartError(`the master key in ${file} cannot be read (GW_DATA_DIR)`, { cause });
  }
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  throw new StartError(`the master key in ${file} is damaged; set GW_MASTER_KEY or restore the file`);
};

/**
 * Stores the key by a temporary file and a hard link. A full disk or power failure leaves no partial key, and of two
 * gateways that start at once, the later one reads the other's key.
 */
const keep = async (file: string, key: Buffer): Promise<void> => {
  const written = `${file}.${randomUUID()}`;
  try {
    await writeFile(written, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(written, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(written, { force: true });
  }
};

/**
 * Returns the stored key of 32 bytes, creating it if necessary. Throws a StartError if the stored key is unreadable or
 * damaged, or if a key cannot be stored.
 */
export const storedMasterKey = async (dataFolder: string): Promise<Buffer> => {
  const file = join(dataFolder, 'master-key');
  const kept = await readKey(file);
  if (kept !== undefined) return kept;
  const fresh = randomBytes(32);
  try {
    await keep(file, fresh);
  } catch (cause) {
    throw dataFolderError(dataFolder, cause);
  }
  return (await readKey(file)) ?? fresh;
};
