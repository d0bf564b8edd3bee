/** The key that seals secrets. Embedded, it is made once and kept in the data folder (decisions 7). */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#src/domain/start-error.ts';
import { dataFolderError } from './data-folder.ts';

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** 32 bytes. Throws a StartError when the kept key cannot be read, is damaged or cannot be kept. */
export const keptMasterKey = async (dataFolder: string): Promise<Buffer> => {
  const file = join(dataFolder, 'master-key');
  try {
    const key = Buffer.from(await readFile(file, 'utf8'), 'base64');
    if (key.length === 32) return key;
    throw new StartError(`the master key in ${file} is damaged; set GW_MASTER_KEY or restore the file`);
  } catch (error) {
    if (error instanceof StartError) throw error;
    if (!isMissing(error)) {
      throw new StartError(`the master key in ${file} cannot be read (GW_DATA_DIR)`, { cause: error });
    }
  }
  const key = randomBytes(32);
  try {
    // `wx`: two gateways that start at once must not each keep a key of their own.
    await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw dataFolderError(dataFolder, cause);
  }
  return key;
};
