/**
 * Checks the page of journeys, which lists the files of five paths through the code: every file exists, consecutive
 * files import each other, and the stated number of files is right.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'guides/design';
const page = readFileSync(join(root, folder, 'journeys.md'), 'utf8');

type Step = { file: string; byWayOf: readonly string[] };

const stepOf = (item: string): Step => {
  const [file = '', ...byWayOf] = [...item.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(
    ([, name, path = '']) => {
      const file = normalize(join(folder, path));
      return name === file ? file : `${name} is linked to ${file}`;
    },
  );
  return { file, byWayOf };
};

const journeys = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    name: section.slice(0, section.indexOf('\n')),
    files: Number(/(\d+) files[;.]/.exec(section)?.[1]),
    steps: (section.match(/^\d+\. .*$/gm) ?? []).map(stepOf),
  }));

/** Includes type imports and dynamic imports. */
const importsOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/(?:from |import\()'([#.][^']+)'/g)].map(
    ([, name = '']) => (name.startsWith('#') ? name.slice(1) : normalize(join(dirname(path), name))),
  );

const areLinked = (one: string, other: string): boolean =>
  importsOf(one).includes(other) || importsOf(other).includes(one);

/** Consecutive files where neither imports the other. */
const gapsIn = (steps: readonly Step[]): string[] => {
  const pairs = steps.slice(1).flatMap(({ file, byWayOf }, index) => {
    const way = [steps[index]?.file ?? '', ...byWayOf, file];
    return way.slice(1).map((to, at) => [way[at] ?? '', to] as const);
  });
  return pairs.filter(([from, to]) => !areLinked(from, to)).map((pair) => pair.join(' → '));
};

test('the page of code paths has five journeys', (t) => {
  t.is(journeys.length, 5);
});

for (const { name, files, steps } of journeys) {
  test(`${name}: all listed files exist, and their stated number is correct`, (t) => {
    t.true(steps.length >= 4);
    t.deepEqual(
      steps
        .flatMap(({ file, byWayOf }) => [file, ...byWayOf])
        .filter((path) => !existsSync(join(root, path))),
      [],
    );
    t.is(new Set(steps.map(({ file }) => file)).size, files);
    t.is(steps.length, files);
  });

  test(`${name}: each listed file imports the next or is imported by it`, (t) => {
    t.deepEqual(gapsIn(steps), []);
  });
}

test('reports listed files that do not import each other', (t) => {
  t.deepEqual(
    gapsIn([
      { file: 'config/settings.ts', byWayOf: [] },
      { file: 'sip/lines.ts', byWayOf: [] },
    ]),
    ['config/settings.ts → sip/lines.ts'],
  );
});
