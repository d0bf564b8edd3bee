import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '#src/domain/start-error.ts';

const why = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EROFS') return 'it is on a read-only file system';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is not a folder';
  return error instanceof Error ? error.message : 'for an unknown reason';
};

/**
 * Makes the data folder and sees by writing that it can be written to: permission bits do not tell about a full disk
 * or a read-only file system. Throws a StartError with one line that names the setting.
 */
export const prepareDataFolder = async (folder: string): Promise<void> => {
  const probe = join(folder, '.write-test');
  try {
    await mkdir(join(folder, 'recordings'), { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    await writeFile(probe, Buffer.alloc(4096, 1));
    await rm(probe);
  } catch (cause) {
    throw new StartError(`the data folder ${folder} cannot be written to: ${why(cause)} (GW_DATA_DIR)`, {
      cause,
    });
  }
};
