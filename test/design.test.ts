/** Citations of the pages of `guides/design` find them, and these pages say what the code does. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { agentBreakers, agentTimes, callTimes, deliveryPolicy, platformCallPolicy } from '#config/policy.ts';
import { routes } from '#src/api/routes.ts';
import { refusalCatalogue } from '#src/domain/refusal.ts';
import { endReasons, callStatuses } from '#src/domain/end-reasons.ts';
import { architecturePage, withDrawing } from './helpers/folder-drawing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
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

/** Written `guides/design/<page>.md, "One heading" and "another"`, wherever a comment breaks its lines. */
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

test('a citation is read also where it breaks over two lines of a comment', (t) => {
  t.deepEqual(citationsIn('/**\n * As in guides/design/wire.md, "Hang-up" and\n * "Cancel".\n */'), [
    { page: 'guides/design/wire.md', heading: 'Hang-up' },
    { page: 'guides/design/wire.md', heading: 'Cancel' },
  ]);
});

test('whoever cites a page and a heading finds both', (t) => {
  for (const path of citing) {
    if (path === 'test/design.test.ts') continue;
    for (const { page, heading } of citationsIn(read(path)))
      t.true(
        pages.includes(page) && headingsOf(read(page)).includes(heading),
        `${path}: ${page}, "${heading}"`,
      );
  }
});

test('nobody cites by number what has no numbers here', (t) => {
  const byNumber = /(?<!Vorbis I )\b(?:specification|decisions?|architecture) \d/i;
  t.regex('as in decisions 3', byNumber);
  for (const path of citing) if (path !== 'test/design.test.ts') t.notRegex(read(path), byNumber, path);
});

test('every file and folder of the project that a page of the design names is there', (t) => {
  for (const page of pages)
    for (const [, path = ''] of read(page).matchAll(/`((?:config|machines|sip|src|test)\/[\w./-]+)`/g))
      t.true(existsSync(join(root, path)), `${page}: ${path}`);
});

test('the architecture and the page of the sources name every folder, and large ones have a page of their own', (t) => {
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

test('no page is longer than four screens, and its headings differ', (t) => {
  t.true(pages.length > 6);
  for (const page of pages) {
    const text = read(page);
    t.true(text.split('\n').length <= 160, page);
    t.is(new Set(headingsOf(text)).size, headingsOf(text).length, page);
  }
});

test('the drawing of the folders is that of their imports; `npm run draw-folders` makes it', (t) => {
  const page = read(architecturePage);
  t.true(page.includes('  src/calls --> src/persistence\n'));
  t.is(withDrawing(page), page);
});

const firstCells = (page: string): string[] =>
  [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, cell = '']) => cell);

test('every status and every end reason has its row', (t) => {
  t.deepEqual(firstCells(read('guides/design/calls.md')), [...callStatuses, ...endReasons]);
});

test('every code that a page names is one of the API', (t) => {
  for (const page of pages)
    for (const [, status, code = ''] of read(page).matchAll(/`(\d{3}) ([a-z_]+)`/g)) {
      const { status: known } = Object.entries(refusalCatalogue).find(([name]) => name === code)?.[1] ?? {};
      t.true(known === Number(status), `${page}: ${code}`);
    }
});

test('every operation of the admin API that the page names is one', (t) => {
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
  title: (_, page, sentence) => `${page} says: ${sentence}`,
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
  `at most ${platformCallPolicy.maxDurationSec} s, ${platformCallPolicy.defaultDurationSec} s when nothing is asked, ${platformCallPolicy.silenceTimeoutSec} s of silence, ${platformCallPolicy.ringTimeoutSec} s of ringing`,
);
test(says, 'calls.md', `at most ${callTimes.farewellWaitMs / 1_000} seconds`);
test(says, 'events.md', `for ${deliveryPolicy.breakers.coolDown.firstMs / 1_000} s up to a minute`);
