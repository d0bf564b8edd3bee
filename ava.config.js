import { relative } from 'node:path';
import { observeRun } from './test/run/observe-run.ts';
import { elsewhere, long, placeOf } from './test/helpers/together/files.ts';

const place = (path) => placeOf(long, relative(import.meta.dirname, path));

/** Each file in a thread of its own. `npm test` runs the small ones of a folder in one: test/together/ava.config.js. */
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', ...elsewhere.map((folder) => `!${folder}/**`)],
  sortTestFiles: (one, other) => place(one) - place(other) || (one < other ? -1 : 1),
  // More than there are processors: many wait for the time of a call.
  concurrency: 6,
  environmentVariables: {
    NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
    // Gateways of tests take calls however busy the machine is.
    GW_MAX_DELAY_MS: '0',
  },
  timeout: '10m',
  workerThreads: true,
  // `npm test` follows the run by these events.
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun,
};
