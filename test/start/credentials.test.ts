import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { readCredentials, writeCredentials } from '#src/start/credentials.ts';
import { emptyFolder } from './gateway-process.ts';

const stored = {
  base_url: 'http://127.0.0.1:8080',
  console_url: 'http://127.0.0.1:8080/',
  workspace_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  number_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c12',
  number: '07000000000',
  number_key: 'gw_live_key',
  admin_token: 'gw_admin_token',
};

test('credentials are read as they were written, from a file of its owner alone', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'dev-credentials.json');
  t.deepEqual(await writeCredentials(folder, stored), { ...stored, file });
  t.deepEqual(await readCredentials(folder), stored);
  t.deepEqual(JSON.parse(await readFile(file, 'utf8')), stored);
  await chmod(file, 0o644);
  await writeCredentials(folder, { ...stored, base_url: 'http://127.0.0.1:9090' });
  t.is((await stat(file)).mode & 0o777, 0o600);
});

test('a file of credentials that is missing or damaged holds none', async (t) => {
  const folder = await emptyFolder(t);
  t.is(await readCredentials(folder), undefined);
  const { number_key, ...incomplete } = stored;
  for (const damaged of ['', '{"base_url": ', '[]', JSON.stringify(incomplete)]) {
    await writeFile(join(folder, 'dev-credentials.json'), damaged);
    t.is(await readCredentials(folder), undefined, damaged);
  }
  t.truthy(number_key);
});

test('credentials that cannot be kept stop the start', async (t) => {
  await t.throwsAsync(writeCredentials('/dev/null', stored), {
    instanceOf: StartError,
    message: 'the data folder /dev/null cannot be written to: it is not a folder (GW_DATA_DIR)',
  });
});

test('who reads credentials while they are written finds the old ones or the new ones, whole', async (t) => {
  const folder = await emptyFolder(t);
  const other = { ...stored, admin_token: 'x'.repeat(1_000_000) };
  await writeCredentials(folder, stored);
  let isWriting = true;
  const writing = (async () => {
    for (let round = 0; round < 10; round++) await writeCredentials(folder, round % 2 === 0 ? other : stored);
    isWriting = false;
  })();
  let reads = 0;
  for (; isWriting; reads++) {
    const token = (await readCredentials(folder))?.admin_token;
    t.true(token === stored.admin_token || token === other.admin_token);
  }
  await writing;
  t.true(reads > 0);
  t.deepEqual(await readdir(folder), ['dev-credentials.json']);
});
