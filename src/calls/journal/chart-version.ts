/**
 * The version of a chart: a hash of its source. The behaviour of a chart depends on more than its states, because
 * actions and guards call functions of neighbouring files. The hash therefore includes the chart's file, every file of
 * `machines/` that it imports, and the release of XState. A changed comment also changes the version, which is
 * harmless, whereas one version with two behaviours would not be.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Reads the text of a file. */
export type ReadSource = (file: URL) => string;

const xstate = new URL(import.meta.resolve('xstate/package.json'));

const relativePath = / from '(\.[^']+)'/g;

/** Returns the files of the same folder that a source imports at run time; type-only imports are ignored. */
const importsIn = (source: string): string[] =>
  [...source.matchAll(relativePath)].flatMap(({ index, 1: path = '' }) => {
    const start = Math.max(source.lastIndexOf('import ', index), source.lastIndexOf('export ', index));
    return source.startsWith('type ', start + 'import '.length) ? [] : [path];
  });

const addWithImports = (file: URL, read: ReadSource, sources: Map<string, string>): void => {
  if (sources.has(file.href)) return;
  const source = read(file);
  sources.set(file.href, source);
  for (const path of importsIn(source)) addWithImports(new URL(path, file), read, sources);
};

/** Returns the version of the chart in `machines/<name>.ts`: twelve hexadecimal digits. */
export const chartVersionOf = (
  name: string,
  read: ReadSource = (file) => readFileSync(file, 'utf8'),
): string => {
  const sources = new Map([[xstate.href, read(xstate)]]);
  addWithImports(new URL(import.meta.resolve(`#machines/${name}.ts`)), read, sources);
  return createHash('sha256')
    .update(JSON.stringify([...sources.values()]))
    .digest('hex')
    .slice(0, 12);
};
