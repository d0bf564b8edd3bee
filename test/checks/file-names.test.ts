/** Checks how files and folders are named. */
import test from 'ava';
import { sourceFiles as files } from './imports.ts';

test('files and folders are named in kebab-case', (t) => {
  const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d)?\.(ts|tsx|mjs)$/;
  const strays = files.filter((path) => {
    const parts = path.split('/');
    return (
      !kebab.test(parts.at(-1) ?? '') ||
      parts.slice(0, -1).some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part))
    );
  });
  t.deepEqual(strays, []);
});

test('no file or folder has a vague name', (t) => {
  const vague = /(^|\/)(utils?|common|services?|managers?|types|misc|shared|lib)(\/|\.ts$)/;
  t.regex('src/utils/x.ts', vague);
  t.regex('src/api/types.ts', vague);
  t.deepEqual(
    files.filter((path) => vague.test(path)),
    [],
  );
});
