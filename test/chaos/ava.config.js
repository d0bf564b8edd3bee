import { observeRun } from '../run/observe-run.ts';

/**
 * Gateways are killed in real time. Worker threads, because the databases come from AVA's shared worker.
 */
export default {
  extensions: ['ts'],
  files: ['test/chaos/**/*.test.ts'],
  concurrency: 1,
  serial: true,
  timeout: '600s',
  workerThreads: true,
  // `npm run test:chaos` counts the tests by these events.
  nonSemVerExperiments: { observeRunsFromConfig: true },
  observeRun,
};
