import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { z } from 'zod';
import { createLogger } from '#src/logger.ts';
import { until } from '#test/helpers/until.ts';

const line = z.looseObject({ time: z.string() });

/** `lines` resolves once this many were written. */
const logged = async (format: 'json' | 'pretty', level = 'info') => {
  let written = '';
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const all = (): string[] => written.split('\n').slice(0, -1);
  return {
    logger: await createLogger({ level, format }, destination),
    lines: (count: number): Promise<string[]> =>
      until(`${count} lines are logged`, () => (all().length >= count ? all() : undefined)),
  };
};

test('writes a log entry as one line of JSON with its time and its call', async (t) => {
  const { logger, lines } = await logged('json');
  logger.info({ call_id: 'a-call' }, 'a call begins');
  const [written = ''] = await lines(1);
  const { time, ...rest } = line.parse(JSON.parse(written));
  t.deepEqual(rest, { level: 30, call_id: 'a-call', msg: 'a call begins' });
  t.is(new Date(time).toISOString(), time);
});

const program = (rest: string) =>
  `import { createLogger } from '#src/logger.ts';
   const logger = await createLogger({ level: 'info', format: 'json' });
   ${rest}`;

const run = (rest: string) =>
  spawn(process.execPath, ['--input-type=module', '--eval', program(rest)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });

test('writes lines together, while the program runs', async (t) => {
  const child = run(`for (const line of ['first', 'second', 'third']) logger.info(line);
    process.stdin.resume();`);
  const [chunk] = await once(child.stdout, 'data');
  t.is(String(chunk).split('\n').length, 4, String(chunk));
  child.stdin.end();
  await once(child, 'close');
});

/**
 * A program that logs to a standard output in which `writes` counts, of which each ends by `finish`, and whose time passes
 * by `tick`.
 */
const withSlowOutput = (rest: string) =>
  run(`
    import fs from 'node:fs';
    import { mock } from 'node:test';
    let writes = 0;
    let finish = () => {};
    fs.write = (fd, text, ...more) => {
      writes += 1;
      finish = () => more.at(-1)(null, Buffer.byteLength(text));
    };
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const tick = () => mock.timers.tick(100);
    const output = await createLogger({ level: 'info', format: 'json' });
    const counts = [];
    ${rest}
    fs.writeSync(1, JSON.stringify(counts) + '\\n');`);

/** The first line, which the lines that remain at the end of the program follow. */
const countsOf = async ({ stdout }: ReturnType<typeof run>): Promise<unknown> =>
  JSON.parse((await text(stdout)).split('\n')[0] ?? '');

test('wakes only for lines that wait to be written', async (t) => {
  const child = withSlowOutput(`
    for (const lines of [0, 2, 0, 1]) {
      for (let line = 0; line < lines; line += 1) output.info('a line');
      for (let time = 0; time < 10; time += 1) {
        tick();
        finish();
        finish = () => {};
      }
      counts.push(writes);
    }`);
  t.deepEqual(await countsOf(child), [0, 1, 1, 2]);
});

test('writes lines that were logged during another write', async (t) => {
  const child = withSlowOutput(`
    output.info('first');
    tick();
    output.info('second');
    tick();
    counts.push(writes);
    finish();
    counts.push(writes);
    tick();
    counts.push(writes);`);
  t.deepEqual(await countsOf(child), [1, 1, 2]);
});

test('writes the last lines of a program that ends or fails', async (t) => {
  for (const end of ['process.exit(1);', "throw new Error('failed on purpose');"]) {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', program(`logger.info('last'); ${end}`)],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    t.regex(await text(child.stdout), /"msg":"last"/, end);
  }
});

test('formats a log entry as one readable line', async (t) => {
  const { logger, lines } = await logged('pretty');
  logger.info({ call_id: 'a-call', nested: { deep: [1, 2] } }, 'a call begins');
  logger.info('the next one');
  const [first, second] = await lines(2);
  t.regex(first ?? '', /INFO.*a call begins.*a-call/);
  t.regex(second ?? '', /the next one/);
});

test('loads the formatter of readable lines only for these', async (t) => {
  const loaded = async (format: 'json' | 'pretty'): Promise<string> => {
    const child = run(`import { createRequire } from 'node:module';
      await createLogger({ level: 'silent', format: '${format}' });
      const files = Object.keys(createRequire(import.meta.url).cache);
      console.log(files.some((file) => file.includes('/pino-pretty/')));`);
    return (await text(child.stdout)).trim();
  };
  t.deepEqual([await loaded('json'), await loaded('pretty')], ['false', 'true']);
});

test('omits log entries below the configured level', async (t) => {
  const { logger, lines } = await logged('json', 'warn');
  logger.info('a call begins');
  logger.warn('a call crashed');
  const written = await lines(1);
  t.is(written.length, 1);
  t.regex(written[0] ?? '', /crashed/);
});

for (const format of ['json', 'pretty'] as const) {
  test(`masks secrets and spoken words in log fields (${format})`, async (t) => {
    const { logger, lines } = await logged(format);
    for (const name of ['authorization', 'token', 'key', 'secret', 'text', 'instruction']) {
      logger.info({ [name]: 'hush-hush' }, 'at the top');
      logger.info({ fact: { [name]: 'hush-hush' } }, 'in an object');
      logger.child({ [name]: 'hush-hush' }).info('of a child logger');
    }
    const written = (await lines(18)).join('');
    t.notRegex(written, /hush-hush/);
    t.is(written.match(/\[hidden\]/g)?.length, 18);
  });

  test(`logs reason and stack of a database error, but not its row (${format})`, async (t) => {
    const { logger, lines } = await logged(format);
    const cause = Object.assign(new Error('new row violates check constraint "role"'), {
      code: '23514',
      detail: 'Failing row contains (1, Shall we meet at noon?, 01012345678).',
      where: 'Shall we meet at noon?',
    });
    logger.error({ call_id: 'a-call', err: new Error('not written', { cause }) }, 'a fact is lost');
    const written = (await lines(1)).join('');
    t.notRegex(written, /noon|01012345678/);
    t.regex(written, /not written.*check constraint.*23514/);
    t.regex(written, /logger\.test\.ts/, 'the stack is there');
  });
}

test('logs a thrown value that is not an error', async (t) => {
  const { logger, lines } = await logged('json');
  logger.error({ err: 'out of paper' }, 'a surprise');
  t.like(JSON.parse((await lines(1))[0] ?? ''), { err: { type: 'string', message: 'out of paper' } });
});

for (const format of ['json', 'pretty'] as const)
  test(`escapes terminal controls in error messages (${format})`, async (t) => {
    const { logger, lines } = await logged(format);
    const cause = new Error('The server says \u001B[2J\u202E\u009B1A');
    logger.warn({ err: new Error('\u001B]0;title\u0007 failed', { cause }) }, 'a request failed');
    logger.warn({ err: '\u001B[2J' }, 'what is no error');
    const written = (await lines(2)).join('');
    t.notRegex(written, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
    // JSON escapes the escape characters once more.
    t.regex(written, /The server says \\+u001b\[2J\\+u202e/);
  });
