/** The command behind `npm test`, run over a small project of its own. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { callerIn } from './caller-in.ts';
import { messagesOf } from './observe-run.ts';
import { closingLines, isGreen, slowestLines } from './summary.ts';
import { titleTogether } from './titles-together.ts';
import { createTurns } from './turns.ts';

const root = join(import.meta.dirname, '../..');

const configuration = `
  import { observeRun } from '${root}/test/run/observe-run.ts';
  export default {
    files: ['test/*.test.js'],
    // On a busy machine a file takes longer to start than AVA's usual ten seconds without a result.
    timeout: '60s',
    nonSemVerExperiments: { observeRunsFromConfig: true },
    observeRun,
  };`;

const testFile = (body: string): string =>
  `import { existsSync, writeFileSync } from 'node:fs';\nimport test from 'ava';\n${body}`;

const passes = testFile(`test('adds', (t) => t.is(1 + 1, 2));`);
const fails = testFile(`test('adds', (t) => t.is(1 + 1, 3));`);
const crashes = testFile(`test('adds', (t) => t.pass()); setImmediate(() => { throw new Error('broken') });`);
const skips = testFile(`test('adds', (t) => t.pass()); test.skip('hears (skipped: no ears)', () => {});`);
const failsOnce = testFile(`test('adds', (t) => {
  const wasHere = existsSync('was-here');
  writeFileSync('was-here', '');
  t.true(wasHere, 'too early');
});`);

/** Runs `npm test` over these files and returns its last lines. */
const runOver = async (
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<{ code: number; lines: string[] }> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-suite-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'test'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'ava.config.js'), configuration);
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, 'test', `${name}.test.js`), text);
  // AVA refuses to run within itself while its own variables are set.
  const { PATH = '' } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(root, 'test/run/run-suite.ts')],
      { cwd: folder, env: { PATH } },
      (_error, stdout) => resolve({ code: child.exitCode ?? -1, lines: stdout.trimEnd().split('\n') }),
    );
  });
};

test.serial('a run is green if all tests pass, and lists the reason of each skipped one', async (t) => {
  const { code, lines } = await runOver(t, { passes, skips });
  t.is(code, 0);
  t.deepEqual(lines.slice(-2), [
    'skipped 1 test of test/skips.test.js: no ears',
    '2 passed, 0 failed, 1 skipped',
  ]);
});

test.serial(
  'a file that fails once but passes when repeated alone is listed as unsteady, and the run stays green',
  async (t) => {
    const { code, lines } = await runOver(t, { passes, failsOnce });
    t.is(code, 0);
    t.true(lines.some((line) => /^slowest: +\d+\.\d s {2}test\/failsOnce\.test\.js$/.test(line)));
    t.deepEqual(lines.slice(-2), [
      'unsteady: test/failsOnce.test.js: adds: too early Value is not `true`: false',
      '2 passed, 0 failed, 0 skipped',
    ]);
  },
);

test.serial(
  'a file that fails again when repeated alone makes the run red and prints the assertion',
  async (t) => {
    const { code, lines } = await runOver(t, { passes, fails });
    t.is(code, 1);
    t.regex(lines.join('\n'), /Difference[^]*- 2[^]*\+ 3/);
    t.is(lines.at(-1), '1 passed, 1 failed, 0 skipped');
  },
);

test.serial('a crashed file makes the run red', async (t) => {
  const { code, lines } = await runOver(t, { passes, crashes });
  t.is(code, 1);
  t.regex(lines.join('\n'), /failed: test\/crashes\.test\.js: \(the file\): .*broken/);
});

test('more than three unsteady files make a run red', (t) => {
  const unsteady = (files: number) =>
    Array.from({ length: files }, (_, index) => ({
      file: `test/${index}.test.ts`,
      title: 'a',
      message: 'b',
    }));
  const three = { unsteady: unsteady(3), failed: [] };
  const four = { unsteady: unsteady(4), failed: [] };
  t.true(isGreen(three));
  t.false(isGreen(four));
  const run = { passed: 10, skipped: [] };
  t.is(closingLines(run, three).at(-1), '13 passed, 0 failed, 0 skipped');
  t.is(closingLines(run, four).at(-1), '10 passed, 4 failed, 0 skipped');
});

test('lists a failure once, and does not count a crashed file as a test', (t) => {
  const crash = { file: 'test/a.test.ts', title: '(the file)', message: 'unhandled-rejection: closed' };
  const unsteady = [{ ...crash, title: 'reads', message: 'late' }, crash, crash];
  t.deepEqual(closingLines({ passed: 10, skipped: [] }, { unsteady, failed: [] }), [
    'unsteady: test/a.test.ts: reads: late',
    'unsteady: test/a.test.ts: (the file): unhandled-rejection: closed',
    '11 passed, 0 failed, 0 skipped',
  ]);
});

test('lists the ten slowest files, the slowest first', (t) => {
  const files = Array.from({ length: 12 }, (_, index) => ({
    file: `test/${index}.test.ts`,
    ms: 1_000 * index,
  }));
  const lines = slowestLines(files);
  t.is(lines.length, 10);
  t.is(lines[0], 'slowest:  11.0 s  test/11.test.ts');
  t.is(lines.at(-1), 'slowest:   2.0 s  test/2.test.ts');
});

test('counts tests that are pending when AVA times out as failed', (t) => {
  const event = {
    type: 'timeout',
    period: 60_000,
    pendingTests: new Map([
      ['/project/test/a.test.ts', new Set(['waits'])],
      ['/project/test/b.test.ts', new Set()],
    ]),
  };
  const message = 'pending after 60000 ms without any test that completed';
  t.deepEqual(messagesOf(event, '/project'), [
    { type: 'failed', file: 'test/a.test.ts', title: 'waits', message },
    { type: 'failed', file: 'test/b.test.ts', title: '(the file)', message },
  ]);
});

test('a test counts for its own file in a thread that runs several', (t) => {
  const thread = 'test/together/agents.ts';
  const testFile = `/project/${thread}`;
  const own = { file: 'test/agents/wire.test.ts', title: 'reads › writes' };
  const title = titleTogether('agents/wire.test.ts', own.title);
  t.deepEqual(messagesOf({ type: 'test-passed', testFile, title, duration: 7 }, '/project'), [
    { type: 'passed', ...own, thread, ms: 7 },
  ]);
  t.deepEqual(messagesOf({ type: 'test-failed', testFile, title, err: { message: 'no' } }, '/project'), [
    { type: 'failed', ...own, message: 'no' },
  ]);
  t.deepEqual(messagesOf({ type: 'selected-test', testFile, title, skip: true }, '/project'), [
    { type: 'skipped', ...own },
  ]);
  const pendingTests = new Map([[testFile, new Set([title])]]);
  t.like(messagesOf({ type: 'timeout', period: 1, pendingTests }, '/project'), [own]);
  // A test that a helper declares without a test file, and a failure of the thread.
  const shared = titleTogether('', 'some kind: replies');
  t.like(messagesOf({ type: 'test-passed', testFile, title: shared, duration: 7 }, '/project'), [
    { file: thread, title: 'some kind: replies' },
  ]);
  t.like(messagesOf({ type: 'worker-failed', testFile }, '/project'), [
    { file: thread, title: '(the file)' },
  ]);
});

test('a test that a helper declares counts for the test file that called the helper', (t) => {
  const frames = [
    'Error: the place of a declaration',
    '    at Object.apply (file:///project/test/run/together.ts:60:19)',
    '    at consoleTest (file:///project/test/console/in-browser.ts:190:8)',
    '    at declareAll (file:///project/test/console/pages.test.ts:3:1)',
  ];
  const folder = 'file:///project/test/';
  const end = '    at async ModuleJob.run (node:internal/modules/esm/module_job:437:25)';
  const file = '    at file:///project/test/console/numbers.test.ts:15:1';
  t.is(callerIn([...frames, file, end].join('\n'), folder), 'console/numbers.test.ts');
  t.is(callerIn([...frames.slice(0, 3), end].join('\n'), folder), '');
});

test('tests of another file wait until those of the first one have ended', async (t) => {
  const turns = createTurns();
  const begun: string[] = [];
  const begin = (file: string, name: string): void =>
    void turns.begin(file).then(() => begun.push(`${file} ${name}`));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  begin('a', '1');
  begin('b', '1');
  begin('c', '1');
  begin('a', '2');
  begin('b', '2');
  await settled();
  t.deepEqual(begun, ['a 1', 'a 2']);
  turns.end();
  await settled();
  t.is(begun.length, 2);
  turns.end();
  await settled();
  t.deepEqual(begun.slice(2), ['b 1', 'b 2']);
  turns.end();
  turns.end();
  await settled();
  t.deepEqual(begun.slice(4), ['c 1']);
  turns.end();
  begin('a', '3');
  await settled();
  t.deepEqual(begun.slice(5), ['a 3'], 'a file may come again');
});

test('ignores unknown and irrelevant events', (t) => {
  t.deepEqual(messagesOf({ type: 'declared-test', testFile: '/project/test/a.test.ts' }, '/project'), []);
  t.deepEqual(messagesOf({ type: 'of a later AVA' }, '/project'), []);
});
