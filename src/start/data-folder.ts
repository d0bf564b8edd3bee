import { access, constants, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '#src/domain/start-error.ts';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const why = (error: unknown): string => {
  const code = codeOf(error);
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EROFS') return 'it is on a read-only file system';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there';
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is not a folder';
  if (code === 'ENOENT') return 'it does not exist and cannot be made';
  return error instanceof Error ? error.message : 'for an unknown reason';
};

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
};

/**
 * Creates a folder and its parents. Node's recursive `mkdir` is not used: it never returns if the file system answers
 * ENOENT to any new folder, as /proc does.
 */
const makeFolder = async (folder: string): Promise<void> => {
  if (await isFolder(folder)) return;
  await makeFolder(dirname(folder));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // An existing folder is no error: another gateway may start in the same folder at the same time.
    if (!(await isFolder(folder))) throw error;
  }
};

/** Describes why the data folder cannot be written, in one line that names the setting. */
export const dataFolderError = (folder: string, cause: unknown): StartError =>
  new StartError(`the data folder ${folder} cannot be written to: ${why(cause)} (GW_DATA_DIR)`, { cause });

/**
 * Creates the data folder and tests it by writing a file, because permission bits do not reveal a full disk or a
 * read-only file system. Throws a StartError with one line that names the setting.
 */
export const prepareDataFolder = async (folder: string): Promise<void> => {
  const probe = join(folder, '.write-test');
  try {
    await makeFolder(join(folder, 'recordings'));
    await access(folder, constants.W_OK);
    await writeFile(probe, Buffer.alloc(4096, 1));
    // The probe file is removed even if this process did not write it: another starting gateway may have.
    await rm(probe, { force: true });
  } catch (cause) {
    throw dataFolderError(folder, cause);
  }
};

/** Prepares the folder of recordings, which several gateways may share. */
export const prepareRecordingsFolder = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  } catch (cause) {
    throw new StartError(
      `the folder of recordings ${folder} cannot be written to: ${why(cause)} (GW_RECORDINGS_DIR)`,
      { cause },
    );
  }
};
