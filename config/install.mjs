/**
 * Installs the locked packages if they are missing or older than the lockfile, so that `npm start` and `npm test` each
 * work alone on a fresh clone. The program is plain JavaScript without packages, because it runs on the machine's own
 * Node (18 or newer), before the pinned one is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from './one-at-a-time.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockfile = readFileSync(`${root}package-lock.json`, 'utf8');
const stamp = `${root}node_modules/.installed-lockfile`;
const wanted = createHash('sha256').update(lockfile).digest('hex');

/**
 * Returns the packages in npm's own list of installed packages, which a manual `npm ci` also writes; `null` if the list
 * cannot be read.
 */
const readInstalled = () => {
  try {
    return JSON.parse(readFileSync(`${root}node_modules/.package-lock.json`, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
};

/**
 * Whether a package may be missing: npm omits optional packages for other machines, and placeholders for such packages.
 */
const mayBeMissing = ({ optional, os, cpu, libc }) =>
  optional === true && !(os?.includes(process.platform) && cpu?.includes(process.arch) && libc === undefined);

const hasLockedPackages = () => {
  const installed = readInstalled();
  return (
    installed !== null &&
    Object.entries(JSON.parse(lockfile).packages ?? {}).every(([path, locked]) => {
      if (path === '') return true;
      const found = installed[path];
      return found === undefined
        ? mayBeMissing(locked)
        : found.version === locked.version && found.integrity === locked.integrity;
    })
  );
};

const isInstalled = () => {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return true;
  if (!hasLockedPackages()) return false;
  writeFileSync(stamp, wanted);
  return true;
};

const install = () => {
  if (isInstalled()) return;
  console.error('Installing the locked packages (only needed once) …');
  // Install scripts are disabled, because no package needs one; without scripts, packages can neither phone home nor
  // compile native code.
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

// `npm ci` first removes the installed packages, so two concurrent runs would break each other.
if (!isInstalled()) oneAtATime(`${root}.installing`, 'is installing the packages', install);
