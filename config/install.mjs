/**
 * Installs the locked packages when they are missing or older than the lockfile, so that `npm start` and
 * `npm test` each work alone on a fresh clone. Plain JavaScript without packages: it runs on the machine's own
 * Node (18 or newer), before the pinned one is there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from './one-at-a-time.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = `${root}node_modules/.installed-lockfile`;
const wanted = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .digest('hex');

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;

const install = () => {
  if (isInstalled()) return;
  console.error('Installing the locked packages (only needed once) …');
  // No package needs an install script here; without them nothing can phone home or build natively.
  const { status, error } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', process.stderr, process.stderr],
      shell: process.platform === 'win32',
    },
  );
  if (error || status !== 0) {
    console.error(
      `Installing the packages failed${error ? `: ${error.message}` : ''}. Run "npm ci" to see why.`,
    );
    process.exit(status || 1);
  }
  writeFileSync(stamp, wanted);
};

// `npm ci` begins by removing what is installed: two at once break each other.
if (!isInstalled()) oneAtATime(`${root}.installing`, 'is installing the packages', install);
