import test from 'ava';
import { runProgram } from '#src/speech/run-program.ts';

const node = (script: string, changes: Partial<Parameters<typeof runProgram>[0]> = {}) =>
  runProgram({
    command: process.execPath,
    arguments: ['-e', script],
    input: 'a secret sentence',
    timeoutMs: 20_000,
    maxBytes: 1_000,
    ...changes,
  });

test('what goes in by standard input comes out', async (t) => {
  t.is((await node('process.stdin.pipe(process.stdout)')).toString(), 'a secret sentence');
});

test('a program gets nothing of the environment but where things are found', async (t) => {
  process.env['GW_TEST_SECRET'] = 'secret';
  t.teardown(() => delete process.env['GW_TEST_SECRET']);
  const names = (await node('console.log(Object.keys(process.env).join())')).toString().trim().split(',');
  t.true(names.includes('PATH'));
  t.deepEqual(
    names.filter((name) => !['PATH', 'HOME', 'ESPEAK_DATA_PATH', 'LC_ALL'].includes(name)),
    [],
  );
});

test('a program that fails is named, its input is not', async (t) => {
  const error = await t.throwsAsync(node('process.exit(3)'));
  t.regex(error.message, /ended with code 3$/);
  t.false(error.message.includes('secret'));
});

test('a program that is not there is an error with its cause', async (t) => {
  const error = await t.throwsAsync(node('', { command: 'no-such-program-anywhere' }));
  t.is(error.message, 'no-such-program-anywhere could not be run');
  t.truthy(error.cause);
});

test('a program that never ends is ended', async (t) => {
  await t.throwsAsync(node('setInterval(() => {}, 1000)', { timeoutMs: 300 }), {
    message: /did not finish within 0.3 s/,
  });
});

test('a program that writes without end is ended', async (t) => {
  await t.throwsAsync(node('setInterval(() => process.stdout.write("x".repeat(600)), 1)'), {
    message: /wrote more than 1000 bytes/,
  });
});

test('an aborted run rejects with the reason', async (t) => {
  const abort = new AbortController();
  const running = node('setInterval(() => {}, 1000)', { signal: abort.signal });
  abort.abort(new Error('nobody listens'));
  await t.throwsAsync(running, { message: 'nobody listens' });
});
