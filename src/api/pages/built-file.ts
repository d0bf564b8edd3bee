/** The files that config/build-console.mjs puts together, each sent as small as the browser takes it. */
import { readFile } from 'node:fs/promises';

export const consoleFolder = new URL('../../../dist/console/', import.meta.url);

/** What compressed files end in, the smallest first. */
const endings = { br: '.br', gzip: '.gz' } as const;

export type Encoding = keyof typeof endings;

/** `undefined` where there is no such file, as in a console that was not built. `name` is checked by whoever asks. */
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
