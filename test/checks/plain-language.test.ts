/** Checks that comments, test titles and commit titles name their subject first (CONTRIBUTING.md, "Comments"). */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  allowedCommits,
  allowedPhrases,
  foldersToDo,
  generatedFiles,
  lastUncheckedCommit,
} from './plain-language-exceptions.ts';
import { brokenRule, described, findingsIn, phrasesIn } from './plain-language.ts';

const root = join(import.meta.dirname, '../..');

const sources = globSync('{bench,config,examples,machines,sip,src,test}/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: ['**/node_modules/**', 'src/client/dist/**'],
})
  .filter((path) => !generatedFiles.includes(path))
  .sort();

const findings = sources.flatMap((path) => findingsIn(path, readFileSync(join(root, path), 'utf8')));

const isToDo = (path: string): boolean => foldersToDo.some((folder) => path.startsWith(folder));

const isAllowed = (path: string, text: string): boolean =>
  allowedPhrases.some((allowed) => allowed.path === path && text.startsWith(allowed.text));

test('comments and test titles name their subject first', (t) => {
  t.deepEqual(
    findings.filter(({ path, text }) => !isToDo(path) && !isAllowed(path, text)).map(described),
    [],
  );
});

test('every exception from the wording rules is still needed', (t) => {
  const isNeeded = (allowed: { path: string; text: string }): boolean =>
    findings.some(({ path, text }) => path === allowed.path && text.startsWith(allowed.text));
  t.deepEqual(
    allowedPhrases.filter((allowed) => !isNeeded(allowed)),
    [],
  );
});

const longestCommitTitle = 72;

type Commit = { hash: string; title: string };

const tooLong = (commits: readonly Commit[]): Commit[] =>
  commits.filter(
    ({ hash, title }) =>
      title.length > longestCommitTitle && !allowedCommits.some((allowed) => hash.startsWith(allowed)),
  );

const git = (...args: readonly string[]): string | undefined => {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
};

/** Returns the last 30 commits; undefined if this is no clone whose history has `lastUncheckedCommit`. */
const lastCommits = (): Commit[] | undefined =>
  git('log', '-30', '--no-merges', '--format=%H %s', `${lastUncheckedCommit}..HEAD`)
    ?.split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ hash: line.slice(0, line.indexOf(' ')), title: line.slice(line.indexOf(' ') + 1) }));

const commits = lastCommits();
const whereHistory = commits === undefined ? test.skip : test;

whereHistory(`commit titles have at most ${longestCommitTitle} characters`, (t) => {
  t.deepEqual(tooLong(commits ?? []), []);
});

test('reports a commit title of 73 characters', (t) => {
  const commit = (length: number): Commit => ({ hash: 'abc', title: 'x'.repeat(length) });
  t.deepEqual(tooLong([commit(72), commit(73)]), [commit(73)]);
});

const habits: readonly string[] = [
  'Who calls is unknown.',
  'whoever comes late is refused',
  'Whose call this is',
  'What a trunk expects.',
  'Which number was called.',
  'whatever becomes of it',
  'Nobody is there.',
  'Nothing is sent.',
  'Neither may throw.',
  'None of them is ready.',
  'It has stopped reading.',
  'They become pauses.',
  'Those of the call.',
  'Of the call.',
  'from which the rest follows',
  'by which the call is found',
  'For whom it is meant.',
];

for (const text of habits)
  test(`reports "${text}" as a comment and as a title`, (t) => {
    for (const kind of ['comment', 'doc comment', 'title'] as const) t.truthy(brokenRule({ kind, text }));
  });

test('reports a doc comment that begins with "Tells"', (t) => {
  t.regex(brokenRule({ kind: 'doc comment', text: 'Tells the agent.' }) ?? '', /"Tells": code returns/);
  t.regex(brokenRule({ kind: 'doc comment', text: 'Is told of each call.' }) ?? '', /"Is told"/);
  t.is(brokenRule({ kind: 'title', text: 'says a greeting to the caller' }), undefined);
});

const laterHabits: readonly string[] = [
  'It has stopped reading.',
  'They become pauses.',
  'Those of the call are kept.',
  'What is left is stored.',
  'Of the others one is chosen.',
  'Nobody reads it.',
];

for (const text of laterHabits)
  test(`reports "${text}" as a later sentence of a comment`, (t) => {
    for (const kind of ['comment', 'doc comment'] as const)
      t.regex(brokenRule({ kind, text: `A reader (of a file). ${text}` }) ?? '', /no sentence of a/);
  });

test('reports an item of a list that begins with "It"', (t) => {
  t.truthy(brokenRule({ kind: 'doc comment', text: 'Reads a file:  - It waits for the file.' }));
  t.truthy(brokenRule({ kind: 'doc comment', text: 'Reads a file.  It waits for the file.' }));
  t.is(brokenRule({ kind: 'doc comment', text: 'Reads a file:  - The file is awaited.' }), undefined);
});

test('accepts later sentences that name their subject, and pronouns within a sentence', (t) => {
  for (const text of [
    'Of two requests, the later one waits.',
    'This reader counts as slow; it is closed.',
    'Items are kept.',
    'See e.g. the file.',
  ])
    t.is(brokenRule({ kind: 'doc comment', text: `A reader. ${text}` }), undefined);
});

test('accepts words that only begin like a reported one', (t) => {
  for (const text of [
    'Whole calls.',
    'Often empty.',
    'From the INVITE to the first ring.',
    'Nonempty lists.',
    'Items in order.',
  ])
    t.is(brokenRule({ kind: 'doc comment', text }), undefined);
});

test('finds comments and titles with their lines', (t) => {
  const text = [
    '/** Of one line. */',
    'const a = 1; // Who is behind code is not read.',
    '  /**',
    '   * What is wrapped',
    '   * over two lines.',
    '   */',
    '// Nobody',
    '// is here.',
    "test.serial('who\\'s there', (t) => {});",
    'test(',
    "  'nothing is sent',",
    '  (t) => {},',
    ');',
    'test(macro, `none of ${1}`);',
    "const cases = [{ title: 'what is left' }];",
    'const macro = test.macro({ title: (_, name) => `of ${name}` });',
  ].join('\n');
  t.deepEqual(
    findingsIn('test/x.test.ts', text).map((finding) => [finding.line, finding.kind, finding.text]),
    [
      [1, 'doc comment', 'Of one line.'],
      [3, 'doc comment', 'What is wrapped over two lines.'],
      [7, 'comment', 'Nobody is here.'],
      [9, 'title', "who\\'s there"],
      [10, 'title', 'nothing is sent'],
      [14, 'title', 'none of ${1}'],
      [15, 'title', 'what is left'],
      [16, 'title', 'of ${name}'],
    ],
  );
  t.is(phrasesIn('src/x.ts', text).filter(({ kind }) => kind === 'title').length, 0);
});

test('describes a finding by file, line, text and rule', (t) => {
  t.is(
    described({ path: 'src/x.ts', line: 7, kind: 'comment', text: 'Of it.', rule: 'no' }),
    'src/x.ts:7: Of it. (no)',
  );
});
