import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compileCache } from './test/run/node-options.ts';
import { observeRun } from './test/run/observe-run.ts';

/** Tests with configurations of their own. */
const elsewhere = ['test/real-agents', 'test/real-sip', 'test/chaos', 'test/checks'];

/** Several test files share the thread of each of these files (`test/run/together.ts`). */
const together = readdirSync(join(import.meta.dirname, 'test/together')).map(
  (name) => `test/together/${name}`,
);
const inThem = together.flatMap((path) =>
  [...readFileSync(join(import.meta.dirname, path), 'utf8').matchAll(/^import '#(.+\.test\.ts)';$/gm)].map(
    ([, file]) => file,
  ),
);
const files =
  process.env.TRUNKLINE_TESTS_TOGETHER === '1'
    ? ['test/**/*.test.ts', ...together, ...inThem.map((file) => `!${file}`)]
    : ['test/**/*.test.ts'];

/**
 * The longest files start first, so no processor is idle at the end. Browsers slow each other down most, so only two
 * files with pages start first, and the others at about the time at which those end.
 */
const first = [
  'test/together/console-shell',
  'test/together/console-calls',
  'test/persistence/frozen-database',
  'test/journeys/secret-keys',
  'test/examples/examples',
  'test/simulation',
  'test/journeys/agents',
  'test/journeys/clients',
  'test/journeys/handing-over',
  'test/journeys/gateways',
  'test/together/console',
  'test/journeys',
  'test/console',
  'test/together',
  'test/commands',
  'test/main',
  'test/sip/drachtio',
  'test/examples',
  'test/client/package',
  'test/persistence',
  'test/start',
];

const place = (path) => {
  const index = first.findIndex((start) => relative(import.meta.dirname, path).startsWith(start));
  return index === -1 ? first.length : index;
};

/** Each file runs in a thread of its own, except those that are imported together. */
export default {
  extensions: ['ts'],
  files: [...files, ...elsewhere.map((folder) => `!${folder}/**`)],
  sortTestFiles: (one, other) => place(one) - place(other) || (one < other ? -1 : 1),
  // More than there are processors, because many wait for the time of a call. Each further one makes the others wait, and
  // poll, for longer.
  concurrency: 4,
  environmentVariables: {
    NODE_COMPILE_CACHE: compileCache,
    // Gateways of tests take calls however busy the machine is.
    GW_MAX_DELAY_MS: '0',
  },
  timeout: '60s',
  workerThreads: true,
  require: ['./test/run/quick-imports.mjs'],
  // `npm test` follows the run by these events.
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun,
};
