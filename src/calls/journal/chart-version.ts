/**
 * Which version of a chart runs. What a chart does stands in more than its states: its actions and guards call functions
 * of the files beside it. So the version is taken of the source itself: of the chart's file, of every file of
 * `machines/` that it imports, and of the release of XState that runs them. A comment changes it as well, which does no
 * harm; the opposite, two behaviours under one version, would.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The text of a file. */
export type ReadSource = (file: URL) => string;

const xstate = new URL(import.meta.resolve('xstate/package.json'));

const relativePath = / from '(\.[^']+)'/g;

/** The files beside it that a source runs: one imported for its types alone does nothing then. */
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

/** The version of the chart in `machines/<name>.ts`: twelve hexadecimal digits. */
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
