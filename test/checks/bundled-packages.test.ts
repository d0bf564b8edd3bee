/** Checks that the list of bundled packages (config/bundled-packages.mjs) has all of their imports. */
import test from 'ava';
import { bundledImports } from '#config/bundled-packages.mjs';
import { readImports, sourceFiles } from './imports.ts';

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The console is bundled by itself, for browsers. */
const imported = new Set(
  sourceFiles
    .filter((path) => !path.startsWith('src/console/'))
    .flatMap(readImports)
    .filter(({ inside, isType }) => inside === undefined && !isType)
    .map(({ to }) => to),
);

test('a bundled package is imported only by paths that lead to the bundle', (t) => {
  const bundled = new Set(bundledImports.map(packageOf));
  const outside = [...imported].filter((to) => bundled.has(packageOf(to)) && !bundledImports.includes(to));
  t.deepEqual(outside, []);
});

test('the bundle has no path that is not imported', (t) => {
  t.deepEqual(
    bundledImports.filter((specifier) => !imported.has(specifier)),
    [],
  );
});
