/**
 * Installs the locked packages if they are missing or older than the lockfile, so that `npm start` and `npm test` each
 * work alone on a fresh clone. With `--omit=dev` only the packages that a gateway needs, which is much faster; the
 * others are added when a developer's command needs them, and are kept up to date from then on. The program is plain
 * JavaScript without packages, because it runs on the machine's own Node (18 or newer), before the pinned one is
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { oneAtATime } from './one-at-a-time.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockfile = readFileSync(`${root}package-lock.json`, 'utf8');
const omitDev = '--omit=dev';
/** The hash of the lockfile that was installed last, with `--omit=dev` after it if development packages were left out. */
const stamp = `${root}node_modules/.installed-lockfile`;
const stamped = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
const hash = createHash('sha256').update(lockfile).digest('hex');
const hadAll = stamped !== '' && !stamped.endsWith(omitDev);
const withDev = hadAll || !process.argv.includes(omitDev);

const stampOf = (isWithDev) => (isWithDev ? hash : `${hash} ${omitDev}`);

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

const hasLockedPackages = (isWithDev) => {
  const installed = readInstalled();
  return (
    installed !== null &&
    Object.entries(JSON.parse(lockfile).packages ?? {}).every(([path, locked]) => {
      if (path === '' || (locked.dev === true && !isWithDev)) return true;
      const found = installed[path];
      return found === undefined
        ? mayBeMissing(locked)
        : found.version === locked.version && found.integrity === locked.integrity;
    })
  );
};

/** Whether all packages are there, or, without development packages, those that a gateway needs. */
const isInstalled = (isWithDev) => {
  const now = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (now === hash || (!isWithDev && now === stampOf(false))) return true;
  if (!hasLockedPackages(isWithDev)) return false;
  writeFileSync(stamp, stampOf(isWithDev));
  return true;
};

/**
 * The arguments of npm. `npm ci` removes what is installed, and a gateway of this checkout may be running, so
 * development packages are added by `npm install`, which changes neither the packages that are there nor the lockfile.
 */
const installing = () => {
  if (!withDev) return ['ci', omitDev];
  return isInstalled(false) ? ['install', '--no-save'] : ['ci'];
};

const install = () => {
  if (isInstalled(withDev)) return;
  const args = installing();
  console.error(
    args[0] === 'install'
      ? 'Installing the packages for development (only needed once) …'
      : 'Installing the locked packages (only needed once) …',
  );
  // Install scripts are disabled, because no package needs one; without scripts, packages can neither phone home nor
  // compile native code.
  const { status, error } = spawnSync(
    'npm',
    [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
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
  writeFileSync(stamp, stampOf(withDev));
};

// `npm ci` first removes the installed packages, so two concurrent runs would break each other.
if (!isInstalled(withDev)) oneAtATime(`${root}.installing`, 'is installing the packages', install);
