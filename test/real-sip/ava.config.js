import { basename } from 'node:path';

/** The longest files start first, so that none of them runs alone at the end. */
const first = [
  'handing-over',
  'lost-gateways',
  'restarts',
  'outlived-kills',
  'cut-off-gateways',
  'line-contract',
  'direct-line-contract',
  'channel-sound',
  'media-servers',
  'listening',
  'srtp',
  'transfers',
  'conversation',
  'npm-run-servers',
];

const place = (path) => {
  const index = first.indexOf(basename(path, '.test.ts'));
  return index === -1 ? first.length : index;
};

/**
 * Each file has servers and ports of its own; within a file, calls share the servers and run one after another
 * (`test.serial`). How many files run beside each other is said in run.ts. Worker threads, because the databases come
 * from AVA's shared worker.
 */
export default {
  extensions: ['ts'],
  files: ['test/real-sip/**/*.test.ts'],
  sortTestFiles: (one, other) => place(one) - place(other) || (one < other ? -1 : 1),
  concurrency: 2,
  // Two attempts of a test, at most 120 s each.
  timeout: '240s',
  workerThreads: true,
};
