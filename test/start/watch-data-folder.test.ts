import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createDataFolderWatch } from '#src/start/watch-data-folder.ts';

const logger = pino({ level: 'silent' });
const problem = 'The data folder cannot be written to.';

test('a folder that takes what is written is all right, and nothing is left in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-watch-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const why = createDataFolderWatch({ folder, everyMs: 1_000, clock, logger });
  t.is(await why(), undefined);
  t.deepEqual(await readdir(folder), []);
  await rm(folder, { recursive: true });
  t.is(await why(), undefined, 'the answer holds for a while');
  clock.increment(1_000);
  t.is(await why(), problem);
});

test('a full disk is noticed, and asked about no more often than it takes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-watch-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const clock = new SimulatedClock();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  let written = 0;
  let hasRoom = false;
  const why = createDataFolderWatch({
    folder,
    everyMs: 1_000,
    clock,
    logger,
    write: async (...given) => {
      written += 1;
      if (hasRoom) return writeFile(...given);
      throw full;
    },
  });
  t.deepEqual(await Promise.all([why(), why(), why()]), [problem, problem, problem]);
  clock.increment(999);
  t.is(await why(), problem);
  t.is(written, 1);
  hasRoom = true;
  clock.increment(1);
  t.is(await why(), undefined);
  t.is(written, 2);
});
