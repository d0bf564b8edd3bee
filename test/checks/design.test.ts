/** Checks that citations of `guides/design` resolve, and that its pages match the code. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { agentBreakers, agentTimes, callTimes, deliveryPolicy, platformCallPolicy } from '#config/policy.ts';
import { routes } from '#src/api/routes.ts';
import { refusalCatalogue } from '#src/domain/refusal.ts';
import { endReasons, callStatuses } from '#src/domain/end-reasons.ts';
import { architecturePage, withDrawing } from './folder-drawing.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = globSync('guides/design/*.md', { cwd: root });
const isMade = (path: string): boolean => /(^|\/)(node_modules|dist)(\/|$)/.test(path);
const citing = globSync(
  '{*.md,{bench,config,examples,guides,machines,sip,src,test}/**/*.{ts,tsx,js,mjs,md,sh,xml}}',
  {
    cwd: root,
    exclude: isMade,
  },
);

type Citation = { page: string; heading: string };

/** Finds `guides/design/<page>.md, "One heading" and "another"`, also across line breaks of a comment. */
const citationsIn = (text: string): Citation[] =>
  [
    ...text
      .replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, ' ')
      .matchAll(/(?<page>[\w/-]*guides\/[\w/-]+\.md)(?<headings>, "[^"]+"(?:(?:, | and |, and )"[^"]+")*)/g),
  ].flatMap(({ groups: { page = '', headings = '' } = {} }) =>
    [...headings.matchAll(/"([^"]+)"/g)].map(([, heading = '']) => ({ page, heading })),
  );

const headingsOf = (page: string): string[] =>
  [...page.matchAll(/^#{2,} (.*)$/gm)].map(([, heading = '']) => heading);

test('reads a citation that spans two lines of a comment', (t) => {
  t.deepEqual(citationsIn('/**\n * As in guides/design/wire.md, "Hang-up" and\n * "Cancel".\n */'), [
    { page: 'guides/design/wire.md', heading: 'Hang-up' },
    { page: 'guides/design/wire.md', heading: 'Cancel' },
  ]);
});

test('every cited page and heading exists', (t) => {
  for (const path of citing) {
    if (path === 'test/checks/design.test.ts') continue;
    for (const { page, heading } of citationsIn(read(path)))
      t.true(
        pages.includes(page) && headingsOf(read(page)).includes(heading),
        `${path}: ${page}, "${heading}"`,
      );
  }
});

test('no citation refers to a section number', (t) => {
  const byNumber = /(?<!Vorbis I )\b(?:specification|decisions?|architecture) \d/i;
  t.regex('as in decisions 3', byNumber);
  for (const path of citing)
    if (path !== 'test/checks/design.test.ts') t.notRegex(read(path), byNumber, path);
});

test('every file and folder that a design page names exists', (t) => {
  for (const page of pages)
    for (const [, path = ''] of read(page).matchAll(/`((?:config|machines|sip|src|test)\/[\w./-]+)`/g))
      t.true(existsSync(join(root, path)), `${page}: ${path}`);
});

test("architecture.md and src/README.md name every folder, and a folder's README has a limited length", (t) => {
  const folders = globSync('src/*/', { cwd: root });
  t.true(folders.length > 15);
  const [table, sources] = [read(architecturePage), read('src/README.md')];
  for (const folder of folders) {
    t.true(table.includes(`\`${folder}\``), folder);
    t.regex(sources, new RegExp(`\`${folder.slice('src/'.length)}\``), folder);
  }
  for (const folder of ['src', 'machines', 'test', 'src/agents', 'src/console'])
    t.true(read(`${folder}/README.md`).split('\n').length <= 60 || folder === 'machines', folder);
});

test('every design page has at most 160 lines and unique headings', (t) => {
  t.true(pages.length > 6);
  for (const page of pages) {
    const text = read(page);
    t.true(text.split('\n').length <= 160, page);
    t.is(new Set(headingsOf(text)).size, headingsOf(text).length, page);
  }
});

test('the drawing of the folders is up to date (else run `npm run draw-folders`)', (t) => {
  const page = read(architecturePage);
  t.true(page.includes('  src/calls --> src/persistence\n'));
  t.is(withDrawing(page), page);
});

const firstCells = (page: string): string[] =>
  [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, cell = '']) => cell);

test('calls.md lists every call status and end reason', (t) => {
  t.deepEqual(firstCells(read('guides/design/calls.md')), [...callStatuses, ...endReasons]);
});

test('every error code that a design page names exists', (t) => {
  for (const page of pages)
    for (const [, status, code = ''] of read(page).matchAll(/`(\d{3}) ([a-z_]+)`/g)) {
      const { status: known } = Object.entries(refusalCatalogue).find(([name]) => name === code)?.[1] ?? {};
      t.true(known === Number(status), `${page}: ${code}`);
    }
});

test('every admin operation that administration.md names exists', (t) => {
  const named = [...read('guides/design/administration.md').matchAll(/`(\/[a-z][\w/{}-]*)`/g)];
  t.true(named.length > 15);
  for (const [, path = ''] of named)
    t.true(
      routes.some((route) => route.path.startsWith('/api/v1/admin/') && route.path.endsWith(path)),
      path,
    );
});

const says = test.macro<[string, string]>({
  exec: (t, page, sentence) => t.true(read(`guides/design/${page}`).includes(sentence), sentence),
  title: (_, page, sentence) => `${page} states a value as in the code: ${sentence}`,
});

const { connectMs, firstTokenMs, wholeReplyMs, handshakeMs } = agentTimes;
test(
  says,
  'agents.md',
  `${connectMs / 1_000} seconds to connect, ${firstTokenMs / 1_000} to the first words, ${wholeReplyMs / 1_000} for the whole reply`,
);
test(says, 'agents.md', `no answer within ${handshakeMs / 1_000} seconds`);
test(
  says,
  'agents.md',
  `left alone for ${agentBreakers.coolDown.firstMs / 1_000} to ${agentBreakers.coolDown.longestMs / 1_000} seconds`,
);
test(
  says,
  'calls.md',
  `maximum duration ${platformCallPolicy.maxDurationSec} s, default duration ${platformCallPolicy.defaultDurationSec} s, silence time-out ${platformCallPolicy.silenceTimeoutSec} s, ring time-out ${platformCallPolicy.ringTimeoutSec} s`,
);
test(says, 'calls.md', `at most ${callTimes.farewellWaitMs / 1_000} seconds`);
test(says, 'events.md', `for ${deliveryPolicy.breakers.coolDown.firstMs / 1_000} s up to a minute`);
