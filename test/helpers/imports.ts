/**
 * The imports of the sources, read from their text: the rules of the architecture and its drawing are both made of it.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const source = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Every TypeScript file of the project and of its tests, from the root, but for what is made when the client is packed. */
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
  /** As it is written. */
  to: string;
  /** From the root; undefined for packages and Node's own modules. */
  inside: string | undefined;
  isType: boolean;
  isRelative: boolean;
};

const importPattern =
  /^(?:import|export)\s+(?<clause>[^'";]*?)\s*from\s*'(?<named>[^']+)'|^import\s*'(?<bare>[^']+)'|\bimport\(\s*'(?<lazy>[^']+)'/gm;

/** `import type …` and `import { type A, type B } …` vanish or bring no value with them. */
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
