import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** `path` is the search path for programs. */
export const isInstalled = async (program: string, path: string): Promise<boolean> => {
  const tries = path.split(delimiter).map((folder) => access(join(folder, program), constants.X_OK));
  return (await Promise.allSettled(tries)).some(({ status }) => status === 'fulfilled');
};
