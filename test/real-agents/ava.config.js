/** The servers are installed when they are first needed, which takes a while; calls take the time that they take. */
export default {
  extensions: ['ts'],
  files: ['test/real-agents/**/*.test.ts'],
  concurrency: 1,
  serial: true,
  timeout: '600s',
  workerThreads: false,
};
