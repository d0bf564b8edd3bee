/** The bundle of packages (config/bundled-packages.mjs): when it is written, and when it is used. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { ownEnvironment } from '#test/helpers/programs/run-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Prints where its packages come from, and loads them: an ES module and a CommonJS module. */
const program = `
  import { useBundle } from './config/bundled-packages.mjs';
  useBundle(new URL('.', import.meta.url).href);
  const { z } = await import('zod');
  const { default: parse } = await import('postgres-array');
  z.array(z.string()).parse(parse.parse('{a,b}'));
  for (const name of ['zod', 'postgres-array'])
    console.log(import.meta.resolve(name).includes('/dist/node_modules/') ? 'bundle' : 'package');
`;

/** A project with few packages. */
const project = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-bundle-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'config'));
  for (const file of ['bundle-packages.mjs', 'bundled-packages.mjs', 'one-at-a-time.mjs', 'write-bundle.mjs'])
    await cp(join(root, 'config', file), join(folder, 'config', file));
  const list = join(folder, 'config/bundled-packages.mjs');
  const text = await readFile(list, 'utf8');
  await writeFile(
    list,
    text.replace(/bundledImports = \[[^\]]*\]/, "bundledImports = ['postgres-array', 'zod']"),
  );
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await writeFile(join(folder, 'program.mjs'), program);
  return folder;
};

const write = (folder: string) => run(process.execPath, [join(folder, 'config/bundle-packages.mjs')]);

const sourcesOf = async (folder: string, settings: Record<string, string> = {}): Promise<string[]> => {
  const { stdout } = await run(process.execPath, [join(folder, 'program.mjs')], {
    env: { ...ownEnvironment(), ...settings },
  });
  return stdout.trim().split('\n');
};

const bundlesIn = (folder: string): Promise<string[]> => readdir(join(folder, 'dist/node_modules'));

test.serial('loads packages from the bundle once it is written, and writes it once', async (t) => {
  const folder = await project(t);
  t.deepEqual(await sourcesOf(folder), ['package', 'package']);
  const { stderr } = await write(folder);
  t.is(stderr, 'Bundling the packages (only needed once) …\n');
  t.deepEqual(await sourcesOf(folder), ['bundle', 'bundle']);
  t.is((await write(folder)).stderr, '');
});

test.serial('does not use the bundle of another lockfile, and replaces it', async (t) => {
  const folder = await project(t);
  await write(folder);
  const before = await bundlesIn(folder);
  await writeFile(join(folder, 'package-lock.json'), '{"lockfileVersion":3}');
  t.deepEqual(await sourcesOf(folder), ['package', 'package']);
  await write(folder);
  t.deepEqual(await sourcesOf(folder), ['bundle', 'bundle']);
  const after = await bundlesIn(folder);
  t.is(after.length, 1);
  t.notDeepEqual(after, before);
});

test.serial('does not use a damaged bundle, and replaces it', async (t) => {
  const folder = await project(t);
  await write(folder);
  const [bundle = ''] = await bundlesIn(folder);
  const files = await readdir(join(folder, 'dist/node_modules', bundle));
  const damaged = files.find((name) => name.endsWith('postgres-array-index-js.cjs')) ?? '';
  await truncate(join(folder, 'dist/node_modules', bundle, damaged), 10);
  t.deepEqual(await sourcesOf(folder), ['package', 'package']);
  await write(folder);
  t.deepEqual(await sourcesOf(folder), ['bundle', 'bundle']);
});

test.serial('two programs that bundle at the same time leave one bundle', async (t) => {
  const folder = await project(t);
  await Promise.all([write(folder), write(folder)]);
  t.is((await bundlesIn(folder)).length, 1);
  t.deepEqual(await sourcesOf(folder), ['bundle', 'bundle']);
});

test.serial('bundles nothing where it cannot write, and fails no command', async (t) => {
  const folder = await project(t);
  await writeFile(join(folder, 'dist'), 'in the way');
  t.is((await write(folder)).stderr, '');
  t.deepEqual(await sourcesOf(folder), ['package', 'package']);
});

test.serial('fails no command if the bundler fails', async (t) => {
  const folder = await project(t);
  await writeFile(join(folder, 'config/write-bundle.mjs'), 'throw new Error("broken")');
  await write(folder);
  t.deepEqual(await sourcesOf(folder), ['package', 'package']);
});

test.serial(
  'loads the packages themselves when modules are preloaded, which may instrument them',
  async (t) => {
    const folder = await project(t);
    await write(folder);
    await writeFile(join(folder, 'register.mjs'), '');
    const preload = `--import ${new URL(`file://${folder}/register.mjs`).href}`;
    t.deepEqual(await sourcesOf(folder, { NODE_OPTIONS: preload }), ['package', 'package']);
  },
);

test.serial('a stack trace of bundled code names functions and lines of readable code', async (t) => {
  const folder = await project(t);
  await write(folder);
  await writeFile(
    join(folder, 'failing.mjs'),
    `import { useBundle } from './config/bundled-packages.mjs';
     useBundle(new URL('.', import.meta.url).href);
     const { default: parse } = await import('postgres-array');
     parse.parse('{unfinished');`,
  );
  const child = execFile(process.execPath, [join(folder, 'failing.mjs')]);
  let printed = '';
  child.stderr?.on('data', (text) => (printed += String(text)));
  await once(child, 'close');
  t.regex(printed, /postgres-array-index-js\.cjs:\d+:\d+/);
  t.regex(printed, /^\s+at (Object\.)?parse/m);
});
