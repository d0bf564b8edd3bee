/** Reads the imports of source files from their text, for the rules of the architecture and its drawing. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const source = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every TypeScript file of the project and its tests, from the root, without the build output of the client. */
export const sourceFiles: readonly string[] = globSync(
  '{bench,config,machines,sip,src,test}/**/*.{ts,tsx,mjs}',
  {
    cwd: root,
  },
)
  .filter((path) => !path.startsWith('src/client/dist/'))
  .sort();

export type Import = {
  from: string;
  /** Specifier as written. */
  to: string;
  /** Path from the root; undefined for packages and Node's built-in modules. */
  inside: string | undefined;
  isType: boolean;
  isRelative: boolean;
};

const importPattern =
  /^(?:import|export)\s+(?<clause>[^'";]*?)\s*from\s*'(?<named>[^']+)'|^import\s*'(?<bare>[^']+)'|\bimport\(\s*'(?<lazy>[^']+)'/gm;

/** True for `import type …` and `import { type A, type B } …`. */
const bringsOnlyTypes = (clause: string): boolean =>
  clause.startsWith('type ') ||
  (clause.startsWith('{') &&
    clause
      .slice(1, -1)
      .split(',')
      .every((name) => name.trim() === '' || name.trim().startsWith('type ')));

export const readImports = (path: string): Import[] =>
  [...source(path).matchAll(importPattern)].map(({ groups = {} }) => {
    const to = groups['named'] ?? groups['bare'] ?? groups['lazy'] ?? '';
    const isRelative = to.startsWith('.');
    return {
      from: path,
      to,
      inside: isRelative ? join(dirname(path), to) : to.startsWith('#') ? to.slice(1) : undefined,
      isType: bringsOnlyTypes(groups['clause'] ?? ''),
      isRelative,
    };
  });
