/** DNS rebinding, with a name server and connections that are real, on a network of the test's own. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const ownNetwork = [
  '--user',
  '--map-root-user',
  '--net',
  'sh',
  '-c',
  'ip link set lo up && ip address add 11.0.0.1/32 dev lo && exec "$@"',
  'sh',
];

const run = (...command: string[]) => spawnSync('unshare', [...ownNetwork, ...command], { encoding: 'utf8' });

const canMakeNetwork = process.platform === 'linux' && run('true').status === 0;
const inOwnNetwork = canMakeNetwork ? test : test.skip;
const unlessSkipped = canMakeNetwork ? '' : ' (skipped: this user may make no network here)';

inOwnNetwork(
  `a name that moves to the gateway's own machine is connected to where it was checked, and later refused${unlessSkipped}`,
  (t) => {
    const program = fileURLToPath(new URL('rebound-name.ts', import.meta.url));
    const { stdout, stderr } = run(process.execPath, program);
    t.deepEqual(
      JSON.parse(stdout),
      {
        first: { failure: 'connection_failed', checked: 1, own: 0 },
        later: { failure: 'target_refused', checked: 1, own: 0 },
      },
      stderr,
    );
  },
);
