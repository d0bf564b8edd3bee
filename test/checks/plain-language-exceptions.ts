/** Exceptions of the check of plain language. */

/** Permitted comments and titles, by path and first words: the examples of the check's own test. */
export const allowedPhrases: readonly { path: string; text: string }[] = [
  'who',
  'none of',
  'what is left',
  'of $',
].map((text) => ({ path: 'test/checks/plain-language.test.ts', text }));

/** Generated files, whose descriptions come from elsewhere. */
export const generatedFiles: readonly string[] = ['src/client/schema.ts'];

/** Files and folders that still break the rules. This list only shrinks. */
export const foldersToDo: readonly string[] = [];

/** Last commit before the rule for titles of commits. */
export const lastUncheckedCommit = 'fe4e6ac5ca953281c2149a9ccd8ba010883e660a';

/** Later commits whose titles are too long, by the first eight digits of the hash. */
export const allowedCommits: readonly string[] = ['7381e5b5', '9947cc78'];
