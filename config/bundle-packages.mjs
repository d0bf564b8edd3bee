/**
 * Bundles the packages of a gateway (`bundled-packages.mjs`) if that was not done for the current lockfile, which takes
 * about a second. A gateway without a bundle only starts more slowly, so a failure stops nothing. The program is plain
 * JavaScript without packages, because it may run on a Node that is too old for the bundler, which then runs on the
 * pinned one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasBundle } from './bundled-packages.mjs';
import { oneAtATime } from './one-at-a-time.mjs';

const root = new URL('..', import.meta.url);
const pathOf = (path) => fileURLToPath(new URL(path, root));

const write = () => {
  if (hasBundle(root.href)) return;
  try {
    mkdirSync(pathOf('dist/node_modules'), { recursive: true });
  } catch {
    // A folder that is not writable: the packages themselves are loaded.
    return;
  }
  console.error('Bundling the packages (only needed once) …');
  const pinned = pathOf('node_modules/.bin/node');
  spawnSync(existsSync(pinned) ? pinned : process.execPath, [pathOf('config/write-bundle.mjs')], {
    cwd: pathOf('.'),
    stdio: 'ignore',
  });
};

if (!hasBundle(root.href)) oneAtATime(pathOf('.bundling'), 'is bundling the packages', write);
