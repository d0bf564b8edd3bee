import { open } from 'node:fs/promises';

/** Syncs the folder: without that, a new file name may not survive a power failure. */
export const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};
