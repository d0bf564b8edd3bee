/** Checks of pages, licences, imports and regular expressions: `npm run check`. */
export default {
  extensions: ['ts'],
  files: ['test/checks/**/*.test.ts'],
  concurrency: 2,
  timeout: '5m',
  // text-budget.test.ts measures the processor time of its process.
  workerThreads: false,
};
