/**
 * Each file has servers and ports of its own. The files mostly wait, so three of them share two cores; within a file,
 * calls share the servers and run one after another (`test.serial`). Worker threads, because the databases come from
 * AVA's shared worker.
 */
export default {
  extensions: ['ts'],
  files: ['test/real-sip/**/*.test.ts'],
  concurrency: 3,
  // Two attempts of a test, at most 120 s each.
  timeout: '240s',
  workerThreads: true,
};
