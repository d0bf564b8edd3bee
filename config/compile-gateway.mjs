/**
 * Bundles the packages and writes the script of the gateway (`gateway-script.mjs`) if that was not done for the current
 * sources. Without them a gateway only starts more slowly, so a failure stops nothing. The program is plain JavaScript
 * without packages, because it may run on a Node that is too old for the rest, which then runs on the pinned one.
 *
 * `--here`: for gateways with the Node that runs this program. `--gateway PID`: for gateways with the Node and the options
 * of this process, while that gateway runs. `--without-practice`: without practice calls (`practise-calls.mjs`), which take
 * some fifteen seconds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './bundle-packages.mjs';
import { hasBundle } from './bundled-packages.mjs';
import { oneAtATime } from './one-at-a-time.mjs';

const root = new URL('..', import.meta.url);
const pathOf = (path) => fileURLToPath(new URL(path, root));
const parameters = process.argv.slice(2);
const isInBackground = parameters.includes('--gateway');
const isHere = isInBackground || parameters.includes('--here');

/** Options of `npm start`. */
const usualOptions = ['--no-memory-protection-keys'];

const write = () => {
  const pinned = pathOf('node_modules/.bin/node');
  const node = !isHere && existsSync(pinned) ? pinned : process.execPath;
  const options = isInBackground ? process.execArgv : usualOptions;
  const program = pathOf('config/write-gateway-script.mjs');
  spawnSync(node, [...options, program, ...parameters.filter((parameter) => parameter !== '--here')], {
    cwd: pathOf('.'),
    stdio: ['ignore', 'ignore', isInBackground ? 'ignore' : 'inherit'],
  });
};

if (hasBundle(root.href)) oneAtATime(pathOf('.compiling'), 'is compiling the gateway', write);
