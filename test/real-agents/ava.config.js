/**
 * The servers are installed when they are first needed, which takes a while; calls take the time that they take. Threads,
 * as the databases come from AVA's shared worker.
 */
export default {
  extensions: ['ts'],
  files: ['test/real-agents/**/*.test.ts'],
  concurrency: 1,
  serial: true,
  timeout: '600s',
  workerThreads: true,
};
