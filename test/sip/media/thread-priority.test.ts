import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import test from 'ava';

/** Of this process: the nice value of each thread (proc(5), /proc/pid/stat, field 19). */
const niceOfThreads = (): number[] =>
  readdirSync('/proc/self/task').flatMap((thread) => {
    try {
      const [, behindName = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ');
      return [Number(behindName.split(' ')[16])];
    } catch {
      // It has ended meanwhile: other tests of this process have threads as well.
      return [];
    }
  });

test('a thread that goes before others does so alone, and where it may not nothing fails', async (t) => {
  if (process.platform !== 'linux') {
    t.pass();
    return;
  }
  const before = niceOfThreads();
  const module = new URL('../../../sip/media/thread/thread-priority.ts', import.meta.url).href;
  const thread = new Worker(
    `const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ goBeforeOthers }) => parentPort.postMessage(goBeforeOthers()));
    parentPort.on('message', () => parentPort.close());`,
    { eval: true },
  );
  const [isBefore] = await once(thread, 'message');
  const urgent = niceOfThreads().filter((nice) => nice === -10).length;
  t.is(urgent - before.filter((nice) => nice === -10).length, isBefore === true ? 1 : 0);
  if (process.getuid?.() === 0) t.true(isBefore, 'root may');
  const ended = once(thread, 'exit');
  thread.postMessage('end');
  await ended;
});
