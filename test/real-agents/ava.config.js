/**
 * The servers are installed on first use, which takes a while; calls run in real time. Worker threads, because the
 * databases come from AVA's shared worker.
 */
export default {
  extensions: ['ts'],
  files: ['test/real-agents/**/*.test.ts'],
  concurrency: 1,
  serial: true,
  timeout: '600s',
  workerThreads: true,
};
