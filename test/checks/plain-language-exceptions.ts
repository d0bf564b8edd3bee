/** Exceptions of the check of plain language. */

/** Comments and titles that may begin in spite of the rules, by path and first words. */
export const allowedPhrases: readonly { path: string; text: string }[] = [];

/** Generated files, whose descriptions come from elsewhere. */
export const generatedFiles: readonly string[] = ['src/client/schema.ts'];

/** Files and folders that still break the rules. This list only shrinks. */
export const foldersToDo: readonly string[] = [
  'src/persistence/migrations/',
  'test/agenda.test.ts',
  'test/announcements/',
  'test/barge-in-sounds/',
  'test/checks/',
  'test/client/',
  'test/commands/',
  'test/config/',
  'test/domain/',
  'test/examples/',
  'test/helpers/',
  'test/inspector/',
  'test/logger.test.ts',
  'test/main.test.ts',
  'test/rehearsals/',
  'test/run/',
  'test/servers/',
  'test/trunks/',
  'test/virtual-clock.test.ts',
];

/** Last commit before the rule for titles of commits. */
export const lastUncheckedCommit = 'fe4e6ac5ca953281c2149a9ccd8ba010883e660a';

/** Later commits whose titles are too long, by the first eight digits of the hash. */
export const allowedCommits: readonly string[] = [];
