import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { keptMasterKey } from '#src/start/master-key.ts';
import { emptyFolder } from './gateway-process.ts';

test('a master key is made once, kept for its owner alone and found again', async (t) => {
  const folder = await emptyFolder(t);
  const key = await keptMasterKey(folder);
  t.is(key.length, 32);
  t.is((await stat(join(folder, 'master-key'))).mode & 0o777, 0o600);
  t.deepEqual(await keptMasterKey(folder), key);
  t.deepEqual(await readdir(folder), ['master-key'], 'nothing is left beside it');
  t.notDeepEqual(await keptMasterKey(await emptyFolder(t)), key);
});

test('of gateways that make a master key at the same time all have the one that is kept', async (t) => {
  const folder = await emptyFolder(t);
  const keys = await Promise.all(Array.from({ length: 20 }, () => keptMasterKey(folder)));
  const kept = await readFile(join(folder, 'master-key'), 'utf8');
  t.deepEqual(new Set(keys.map((key) => `${key.toString('base64')}\n`)), new Set([kept]));
  t.deepEqual(await readdir(folder), ['master-key']);
});

test('a damaged master key stops the start, is not repeated and not replaced', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'master-key');
  for (const damaged of ['', 'aHVzaA==', `${Buffer.alloc(33, 1).toString('base64')}\n`]) {
    await writeFile(file, damaged);
    await t.throwsAsync(keptMasterKey(folder), {
      instanceOf: StartError,
      message: `the master key in ${file} is damaged; set GW_MASTER_KEY or restore the file`,
    });
    t.is(await readFile(file, 'utf8'), damaged);
  }
});

test('a master key that cannot be read or kept is told with its setting', async (t) => {
  const folder = await emptyFolder(t);
  await mkdir(join(folder, 'master-key'));
  await t.throwsAsync(keptMasterKey(folder), {
    instanceOf: StartError,
    message: `the master key in ${join(folder, 'master-key')} cannot be read (GW_DATA_DIR)`,
  });
  await t.throwsAsync(keptMasterKey(join(folder, 'missing')), {
    instanceOf: StartError,
    message: /missing cannot be written to: .* \(GW_DATA_DIR\)$/,
  });
});
