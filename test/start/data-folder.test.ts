import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { dataFolderError, prepareDataFolder } from '#src/start/data-folder.ts';
import { emptyFolder } from './gateway-process.ts';

test('a data folder is made with all that lies above it, for its owner alone', async (t) => {
  const parent = join(await emptyFolder(t), 'deep', 'down');
  const folder = join(parent, 'data');
  await prepareDataFolder(folder);
  t.deepEqual(await readdir(folder), ['recordings'], 'what was written to try it is gone');
  for (const made of [parent, folder, join(folder, 'recordings')]) {
    t.is((await stat(made)).mode & 0o777, 0o700, made);
  }
});

test('a data folder that is there keeps its mode and what is in it', async (t) => {
  const folder = join(await emptyFolder(t), 'data');
  await mkdir(folder, { mode: 0o750 });
  await writeFile(join(folder, 'master-key'), 'kept');
  await prepareDataFolder(folder);
  t.is((await stat(folder)).mode & 0o777, 0o750);
  t.deepEqual((await readdir(folder)).sort(), ['master-key', 'recordings']);
});

test('gateways that prepare one data folder at the same time do not hinder each other', async (t) => {
  const folder = join(await emptyFolder(t), 'data');
  await t.notThrowsAsync(Promise.all(Array.from({ length: 20 }, () => prepareDataFolder(folder))));
  t.deepEqual(await readdir(folder), ['recordings']);
});

test('a data folder that cannot be is told in one line that names the setting', async (t) => {
  const folder = await emptyFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  await writeFile(join(folder, 'recordings'), 'in the way');
  for (const [impossible, why] of [
    [file, 'it is not a folder'],
    [join(file, 'below', 'it'), 'it is not a folder'],
    [folder, 'it is not a folder'],
    ['/dev/null/data', 'it is not a folder'],
  ] as const) {
    await t.throwsAsync(prepareDataFolder(impossible), {
      instanceOf: StartError,
      message: `the data folder ${impossible} cannot be written to: ${why} (GW_DATA_DIR)`,
    });
  }
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a file system that takes no new folder is told and does not hold up the start', async (t) => {
  await t.throwsAsync(prepareDataFolder('/proc/trunkline/data'), {
    instanceOf: StartError,
    message:
      'the data folder /proc/trunkline/data cannot be written to: it does not exist and cannot be made (GW_DATA_DIR)',
  });
});

test('what the system says of a folder is said in plain words', (t) => {
  const because = (code: string): string =>
    dataFolderError('/data', Object.assign(new Error('raw words'), { code })).message;
  t.regex(because('ENOSPC'), /: the disk is full \(GW_DATA_DIR\)$/);
  t.regex(because('EROFS'), /: it is on a read-only file system \(GW_DATA_DIR\)$/);
  t.regex(because('EACCES'), /: this user may not write there \(GW_DATA_DIR\)$/);
  t.regex(because('EPERM'), /: this user may not write there \(GW_DATA_DIR\)$/);
  t.regex(because('EIO'), /: raw words \(GW_DATA_DIR\)$/);
  t.regex(dataFolderError('/data', 'thrown').message, /: for an unknown reason \(GW_DATA_DIR\)$/);
});
