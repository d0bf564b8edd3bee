/**
 * Builds the console if it is missing or its sources have changed, so that `npm start` works on a fresh clone. The
 * build takes about a second. Each file is also stored compressed (`.br`, `.gz`), so that requests do not wait for
 * compression. A failed build does not stop the start: the gateway then serves a plain page. The program is plain
 * JavaScript without packages, because it may run on a Node that is too old for Vite, which then runs on the pinned
 * one.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { oneAtATime } from './one-at-a-time.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/console');
const stamp = join(built, '.sources');

const filesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });

const sources = [
  'package-lock.json',
  'config/build-console.mjs',
  'config/vite.ts',
  ...filesIn('src/console'),
  ...filesIn('src/domain'),
  ...filesIn('examples/rehearsals'),
];
const hash = createHash('sha256');
for (const path of sources) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
const wanted = hash.digest('hex');

const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

/** Compresses files to the maximum in both formats, because a file is compressed once and sent often. */
const compress = () => {
  for (const name of readdirSync(built)) {
    const path = join(built, name);
    const plain = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(plain));
    writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
  }
};

const build = () => {
  if (isBuilt()) return;
  console.error('Building the console …');
  const pinned = join(root, 'node_modules/.bin/node');
  const { status, error } = spawnSync(
    existsSync(pinned) ? pinned : process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', join(root, 'config/vite.ts')],
    { cwd: root, stdio: ['ignore', process.stderr, process.stderr] },
  );
  if (error || status !== 0) {
    const reason = error ? `: ${error.message}` : '; the reason is above';
    console.error(`The console could not be built${reason}. The gateway works without it.`);
  } else {
    compress();
    writeFileSync(stamp, wanted);
  }
};

if (!isBuilt()) oneAtATime(join(root, '.building-console'), 'is building the console', build);
