/** Which test files run alone and which together, and what begins first. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const projectRoot = join(import.meta.dirname, '../../../');

/**
 * Files that take long, by themselves or while they wait, begin first, so that no processor idles at the end; the many
 * short ones fill what they leave. A name stands for the file or for all in the folder.
 */
export const long = [
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

/**
 * Files that have a process to themselves: they change what belongs to the whole process, wait for something before they
 * tell their tests, or let real time pass.
 */
export const alone = [
  'test/agents/broken-endpoints/langgraph',
  'test/agents/broken-endpoints/webhook',
  'test/sip/drachtio/media/media-servers',
  'test/sip/drachtio/media/moving-calls',
  'test/sip/drachtio/playout/synthesis',
  'test/sip/listening/barge-in-sounds',
  'test/sip/listening/beep',
  'test/sip/listening/listener',
  'test/sip/listening/voice-activity',
  'test/sip/media/direct',
  'test/sip/resampler',
];

/** The folders whose other files run in one process; `test/together` has a file for each of these names. */
export const together: Readonly<Record<string, readonly string[]>> = {
  agents: ['test/agents'],
  api: ['test/api'],
  calls: ['test/calls', 'test/cluster', 'test/events'],
  drachtio: ['test/sip/drachtio'],
  machines: ['test/charts', 'test/config', 'test/domain', 'test/machines', 'test/outgoing', 'test/telemetry'],
  sip: ['test/sip', 'test/contract', 'test/servers', 'test/trunks'],
  speech: ['test/speech'],
};

/** Where a file, or the folder that it lies in, stands in a list of names; the length of the list where it does not. */
export const placeOf = (names: readonly string[], path: string): number => {
  const place = names.findIndex((name) => path === `${name}.test.ts` || path.startsWith(`${name}/`));
  return place === -1 ? names.length : place;
};

const isListed = (names: readonly string[], path: string): boolean => placeOf(names, path) < names.length;

const folderOf = (path: string): string | undefined =>
  Object.values(together)
    .flat()
    .filter((folder) => isListed([folder], path))
    .sort((one, other) => other.length - one.length)[0];

/** The files that run in one process by this name. */
export const filesTogether = (name: string): string[] => {
  const folders = together[name] ?? [];
  return globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: projectRoot },
  )
    .filter((path) => !isListed([...long, ...alone], path) && folders.includes(folderOf(path) ?? ''))
    .sort();
};
