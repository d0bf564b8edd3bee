/** Calls on real servers take real time and share them: one after another. */
export default {
  extensions: ['ts'],
  files: ['test/real-sip/**/*.test.ts'],
  concurrency: 1,
  serial: true,
  timeout: '120s',
  workerThreads: true,
};
