/** Files built by config/build-console.mjs, each sent in the smallest encoding that the browser accepts. */
import { readFile } from 'node:fs/promises';

export const consoleFolder = new URL('../../../dist/console/', import.meta.url);

/** File extensions of compressed files, the smallest first. */
const endings = { br: '.br', gzip: '.gz' } as const;

export type Encoding = keyof typeof endings;

/**
 * Reads a file. Resolves to `undefined` if the file is missing, as in a console that was not built. The caller must
 * validate `name`.
 */
export const readBuilt = async (
  name: string,
  takesEncoding: (encoding: Encoding) => boolean,
): Promise<{ body: Buffer; headers: Readonly<Record<string, string>> } | undefined> => {
  const headers = { Vary: 'Accept-Encoding' };
  for (const encoding of ['br', 'gzip'] as const) {
    if (!takesEncoding(encoding)) continue;
    const body = await read(`${name}${endings[encoding]}`);
    if (body !== undefined) return { body, headers: { ...headers, 'Content-Encoding': encoding } };
  }
  const body = await read(name);
  return body && { body, headers };
};

const read = (name: string): Promise<Buffer | undefined> =>
  readFile(new URL(name, consoleFolder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
