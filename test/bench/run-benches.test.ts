/** `npm run bench`: its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test from 'ava';

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`an interrupted bench ends its resources and its process at ${signal}`, async (t) => {
    const program = fileURLToPath(new URL('endless-bench.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
    t.teardown(() => child.kill('SIGKILL'));
    let output = '';
    const begun = Promise.withResolvers<void>();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('begun')) begun.resolve();
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const closed = once(child, 'close');
    await Promise.race([begun.promise, closed]);
    child.kill(signal);
    t.deepEqual(await closed, [1, null]);
    t.regex(output, /resources\s+ended/);
    t.regex(errors, new RegExp(`broken off by ${signal}`));
  });
