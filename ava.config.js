/**
 * Files that take long, by themselves or while they wait, begin first, so that no processor idles at the end; the many
 * short ones fill what they leave. A name stands for the file or for all in the folder.
 */
const long = [
  'test/persistence/frozen-database',
  'test/main',
  'test/regular-expressions',
  'test/journeys/several-gateways',
  'test/journeys/farewell',
  'test/console/walk',
  'test/journeys/agent-types',
  'test/sip/drachtio/signalling/connection-guard',
  'test/console',
  'test/journeys',
  'test/commands',
  'test/start',
  'test/calls/replay',
  'test/client',
  'test/examples',
  'test/recordings',
  'test/persistence',
  'test/inspector',
];

const placeOf = (path) => {
  const place = long.findIndex((name) => path.includes(`/${name}.test.ts`) || path.includes(`/${name}/`));
  return place === -1 ? long.length : place;
};

export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts', '!test/real-agents/**', '!test/real-sip/**'],
  sortTestFiles: (one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1),
  // More than there are processors: many wait for the time of a call.
  concurrency: 6,
  environmentVariables: { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' },
  timeout: '10m',
  workerThreads: false,
};
