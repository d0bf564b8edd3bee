/**
 * Preloaded by a process that is to find a planted mistake (`planted.ts`): changes the source of modules while they are
 * loaded. The files of the repository stay as they are.
 */
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { mistakes, type Change, type Mistake } from './planted.ts';

/** Name of the environment variable with the name of the mistake. */
export const plantedVariable = 'SIMULATION_PLANTED';

/** Mistake of this process; `undefined` without one. */
export const plantedHere = (): Mistake | undefined =>
  mistakes.find(({ name }) => name === process.env[plantedVariable]);

const root = pathToFileURL(`${import.meta.dirname}/../../`);

const changed = (source: string, { file, from, to }: Change): string => {
  if (!source.includes(from)) throw new Error(`${file} no longer contains: ${from}`);
  return source.replaceAll(from, () => to);
};

/** Changes that were made in this process. */
const made = new Set<Change>();

/** Throws if a file with a planted mistake was never loaded. */
export const checkPlanted = ({ name, changes }: Mistake): void => {
  const missing = changes.find((change) => !made.has(change));
  if (missing !== undefined) throw new Error(`"${name}" was not planted: ${missing.file} is not loaded`);
};

const plant = ({ changes }: Mistake): void => {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = changes.filter(({ file }) => new URL(file, root).href === url);
      if (own.length === 0) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
      for (const change of own) {
        source = changed(source, change);
        made.add(change);
      }
      return { ...loaded, source };
    },
  });
};

const mistake = plantedHere();
if (mistake !== undefined) plant(mistake);
