/**
 * Enforces the rings of the architecture: which folder may import which, and where the charts get their
 * implementations. Reads the imports of every TypeScript file.
 */
import { dirname } from 'node:path';
import test from 'ava';
import { circlesIn } from './circles.ts';
import { mayProvide, rules, unruled } from './folder-rules.ts';
import { readImports, source, sourceFiles as files, type Import as ReadImport } from './imports.ts';

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

const folders = [...unruled, ...Object.keys(rules).filter((folder) => folder !== 'src')];
const folderOf = (path: string): string => folders.find((folder) => isIn(folder, path)) ?? dirname(path);

type Import = Omit<ReadImport, 'inside'> & { folder: string | undefined };

const importsOf = (path: string): Import[] =>
  readImports(path).map(({ inside, ...others }) => ({
    ...others,
    folder: inside === undefined ? undefined : folderOf(inside),
  }));

const imports = files.flatMap(importsOf);

const packageName = (to: string): string =>
  to
    .split('/')
    .slice(0, to.startsWith('@') ? 2 : 1)
    .join('/');

/** Returns why an import breaks the table of rules; undefined if it does not. */
const breach = ({ from, to, folder, isType }: Import): string | undefined => {
  const own = folderOf(from);
  if (unruled.includes(own)) return undefined;
  const rule = rules[own];
  if (rule === undefined) return `${from} lies in no folder of the architecture`;
  if (folder === undefined) {
    const isAllowed = to.startsWith('node:') ? rule.node !== false : rule.packages?.includes(packageName(to));
    return isAllowed === true ? undefined : `${from} imports ${to}`;
  }
  if (folder === own || rule.values?.includes(folder) === true) return undefined;
  if (rule.types?.includes(folder) === true)
    return isType ? undefined : `${from} imports more than types from ${to}`;
  return `${from} imports ${to}`;
};

/** Source text without comments and string literals. */
const code = (path: string): string =>
  source(path).replaceAll(/\/\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'/gs, '');

test('reads the imports of all files', (t) => {
  t.true(files.length > 20);
  for (const path of ['machines/call.ts', 'src/domain/phone-number.ts', 'test/checks/architecture.test.ts'])
    t.true(
      imports.some(({ from }) => from === path),
      path,
    );
  t.deepEqual(
    importsOf('machines/call-setup.ts').map(({ to, folder, isType }) => [to, folder, isType]),
    [
      ['xstate', undefined, false],
      ['./call-actions.ts', 'machines', false],
      ['./control.ts', 'machines', false],
      ['./call-context.ts', 'machines', false],
      ['./conversation.ts', 'machines', false],
      ['./conversation-context.ts', 'machines', true],
      ['./facts.ts', 'machines', true],
      ['./line.ts', 'machines', false],
      ['./outcome.ts', 'machines', true],
      ['./media-statistics.ts', 'machines', true],
      ['./transfer.ts', 'machines', true],
    ],
  );
});

const forbidden = test.macro<[string, string, boolean]>({
  exec: (t, from, to, isType) =>
    t.not(
      breach({
        from,
        to,
        isType,
        isRelative: false,
        folder: to.startsWith('#') ? folderOf(to.slice(1)) : undefined,
      }),
      undefined,
    ),
  title: (_, from, to, isType) =>
    `reports an import ${isType ? 'of types ' : ''}from ${from} to ${to} as forbidden`,
});

test(forbidden, 'machines/call.ts', 'node:crypto', false);
test(forbidden, 'machines/call.ts', '#src/domain/clock.ts', true);
test(forbidden, 'src/domain/kickoff.ts', '#machines/outcome.ts', false);
test(forbidden, 'src/domain/kickoff.ts', 'zod', false);
test(forbidden, 'sip/lines.ts', '#src/api/app.ts', true);
test(forbidden, 'src/agents/webhook.ts', '#machines/call.ts', false);
test(forbidden, 'src/agents/webhook.ts', '#sip/lines.ts', true);
test(forbidden, 'src/speech/flite.ts', '#machines/line.ts', true);
test(forbidden, 'src/calls/journal/journal.ts', 'koa', false);
test(forbidden, 'src/api/app.ts', '@mikro-orm/core', true);
test(forbidden, 'src/api/app.ts', '#src/persistence/database/database.ts', true);
test(forbidden, 'src/api/app.ts', '#src/calls/stored-calls.ts', false);
test(forbidden, 'src/api/app.ts', '#machines/line.ts', true);
test(forbidden, 'src/api/app.ts', '#config/config.ts', true);
test(forbidden, 'src/calls/journal/journal.ts', '#config/policy.ts', false);
test(forbidden, 'src/client/client.ts', '#src/domain/refusal.ts', true);
test(forbidden, 'src/client/client.ts', 'zod', false);
test(forbidden, 'src/client/client.ts', 'node:http', false);
test(forbidden, 'src/strays/one.ts', 'node:fs', false);

test('every import is allowed by the rules of its folder', (t) => {
  t.deepEqual(
    imports.map(breach).filter((reason) => reason !== undefined),
    [],
  );
});

test('imports between folders use the # names of package.json, and relative imports stay within a folder', (t) => {
  const strays = imports.filter(
    ({ from, folder, isRelative }) =>
      isRelative && !unruled.includes(folderOf(from)) && folder !== folderOf(from),
  );
  t.deepEqual(
    strays.map(({ from, to }) => `${from} → ${to}`),
    [],
  );
});

/** Groups pairs by their first element. */
const usesOf = (pairs: Iterable<readonly [from: string, to: string]>): Map<string, Set<string>> => {
  const uses = new Map<string, Set<string>>();
  for (const [from, to] of pairs) uses.set(from, (uses.get(from) ?? new Set()).add(to));
  return uses;
};

test('finds every import cycle with all its members', (t) => {
  const pairs = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'b'],
    ['d', 'd'],
  ] as const;
  t.deepEqual(circlesIn(usesOf(pairs)), ['b → c → b', 'd → d']);
});

test('folders have no dependency cycles', (t) => {
  const pairs = imports.flatMap(({ from, folder }): [string, string][] => {
    const own = folderOf(from);
    return folder === undefined || folder === own || unruled.includes(own) ? [] : [[own, folder]];
  });
  t.deepEqual(circlesIn(usesOf(pairs)), []);
});

test('files have no import cycles, not even of types', (t) => {
  const pairs = files
    .flatMap(readImports)
    .flatMap(({ from, inside }): [string, string][] => (inside === undefined ? [] : [[from, inside]]));
  t.true(pairs.length > 1000);
  t.deepEqual(circlesIn(usesOf(pairs)), []);
});

test('only the composition root provides the charts with implementations', (t) => {
  const providers = files.filter((path) => code(path).includes('.provide('));
  t.deepEqual(
    providers.filter((path) => !mayProvide.some((folder) => isIn(folder, path))),
    [],
  );
});

test('the API imports neither the database nor the key that encrypts secrets', (t) => {
  const storage = /\b(database|sealing)\b/;
  t.regex('const { database } = services;', storage);
  for (const path of files.filter((path) => isIn('src/api', path)))
    t.notRegex(code(path).replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g, ''), storage, path);
});

test('the charts use no clock, network, log or random numbers', (t) => {
  const outside =
    /\b(Date|performance|console|fetch|set(Timeout|Interval|Immediate)|queueMicrotask|process|globalThis|crypto|Math\.random|await|async|Promise)\b/;
  t.regex('setTimeout(() => {}, 1)', outside);
  for (const path of files.filter((path) => isIn('machines', path))) t.notRegex(code(path), outside, path);
});
