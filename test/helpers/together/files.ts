/** Which test files run alone and which together, and what begins first. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const projectRoot = join(import.meta.dirname, '../../../');

/** Tests with commands of their own. */
export const elsewhere = ['test/checks', 'test/real-agents', 'test/real-sip'];

/**
 * What begins first, so that no processor idles at the end: what takes long, by itself or while it waits. A name stands
 * for a file or for all in a folder. All but those in `test/together` have a process to themselves.
 */
export const long = [
  'test/persistence/frozen-database',
  'test/main',
  'test/journeys',
  'test/console/walk',
  'test/sip/drachtio/signalling/connection-guard',
  'test/console/accessibility',
  'test/console/administration',
  'test/console/calls',
  'test/console/connections',
  'test/console/numbers',
  'test/console/page',
  'test/console/phone',
  'test/console/sign-in',
  'test/console/sip-ladder',
  'test/together',
  'test/commands',
  'test/calls/replay',
  'test/client/package',
  'test/examples',
  'test/simulation',
  'test/persistence/embedded',
];

/**
 * What has a process to itself though it does not take long: it changes what belongs to the whole process (such as the
 * browser of its tests), waits for something before it tells its tests, or lets real time pass.
 */
export const alone = [
  'test/agents/broken-endpoints/langgraph',
  'test/agents/broken-endpoints/webhook',
  'test/console/phone-sound',
  'test/contract/simulator',
  'test/rehearsals/read-suite',
  'test/sip/drachtio/media/media-servers',
  'test/sip/drachtio/media/moving-calls',
  'test/sip/playout/synthesis',
  'test/sip/simulator/rehearsed-script',
  'test/sip/listening/barge-in-sounds',
  'test/sip/listening/beep',
  'test/sip/listening/listener',
  'test/sip/listening/voice-activity',
  'test/sip/media/direct',
  'test/sip/resampler',
];

/**
 * The folders whose other files run in one process, one test after another, or some of these files; `test/together` has
 * a file for each of these names. A folder that is not named here belongs to `rest`.
 */
export const together: Readonly<Record<string, readonly string[]>> = {
  agents: ['test/agents'],
  api: ['test/api', 'test/client'],
  calls: ['test/calls', 'test/cluster', 'test/events'],
  console: ['test/console'],
  drachtio: ['test/sip/drachtio'],
  machines: ['test/machines'],
  persistence: ['test/persistence', 'test/recordings'],
  rest: ['test'],
  sip: ['test/contract', 'test/sip'],
  speech: ['test/speech'],
  start: ['test/inspector', 'test/start'],
};

/** Where a file, or the folder that it lies in, stands in a list of names; the length of the list where it does not. */
export const placeOf = (names: readonly string[], path: string): number => {
  const place = names.findIndex(
    (name) => [`${name}.test.ts`, `${name}.ts`].includes(path) || path.startsWith(`${name}/`),
  );
  return place === -1 ? names.length : place;
};

const isListed = (names: readonly string[], path: string): boolean => placeOf(names, path) < names.length;

/** The folder of `together` that a file belongs to: the one that is named most exactly. */
const folderOf = (path: string): string | undefined =>
  Object.values(together)
    .flat()
    .filter((folder) => isListed([folder], path))
    .sort((one, other) => other.length - one.length)[0];

const isSmall = (path: string): boolean => !isListed([...long, ...alone, ...elsewhere], path);

/** The files that run in one process by this name. */
export const filesTogether = (name: string): string[] => {
  const folders = together[name] ?? [];
  return globSync('test/**/*.test.ts', { cwd: projectRoot })
    .filter((path) => isSmall(path) && folders.includes(folderOf(path) ?? ''))
    .sort();
};
