/** Two programs that are started in one fresh clone: `npm ci` begins by removing what the other is installing. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';

const config = fileURLToPath(new URL('../../config', import.meta.url));

/** Installs for as long as there is no file `go`, and fails beside another one. */
const slowNpm = `#!/bin/sh
mkdir busy || exit 9
echo installing >&2
while [ ! -e go ]; do sleep 0.1; done
mkdir -p node_modules
echo x >> installed
rmdir busy
`;

const makeClone = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-clone-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'config'));
  for (const file of ['install.mjs', 'one-at-a-time.mjs']) {
    await cp(join(config, file), join(folder, 'config', file));
  }
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/npm'), slowNpm, { mode: 0o755 });
  return folder;
};

const startInstalling = (t: ExecutionContext, folder: string): ChildProcess => {
  const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(process.execPath, ['config/install.mjs'], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
};

const untilSaid = async (child: ChildProcess, words: string): Promise<void> => {
  let said = '';
  for await (const chunk of child.stderr ?? []) {
    said += String(chunk);
    if (said.includes(words)) return;
  }
  throw new Error(`It ended before it said "${words}": ${said}`);
};

const leftLocks = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('.installing'));

test('the second of two programs waits for the installation of the first, and does not repeat it', async (t) => {
  const folder = await makeClone(t);
  const first = startInstalling(t, folder);
  await untilSaid(first, 'installing\n');
  const second = startInstalling(t, folder);
  await untilSaid(second, 'Another program in this folder is installing the packages; waiting for it');
  const ends = Promise.all([once(first, 'exit'), once(second, 'exit')]);
  await writeFile(join(folder, 'go'), '');
  t.deepEqual(await ends, [
    [0, null],
    [0, null],
  ]);
  t.is(await readFile(join(folder, 'installed'), 'utf8'), 'x\n');
  t.deepEqual(await leftLocks(folder), []);
});

test('nobody waits for a program that was killed while it installed', async (t) => {
  const folder = await makeClone(t);
  const gone = spawn('true');
  await once(gone, 'exit');
  await writeFile(join(folder, '.installing'), String(gone.pid));
  await writeFile(join(folder, 'go'), '');
  const child = startInstalling(t, folder);
  t.deepEqual(await once(child, 'exit'), [0, null]);
  t.is(await readFile(join(folder, 'installed'), 'utf8'), 'x\n');
  t.deepEqual(await leftLocks(folder), []);
});
