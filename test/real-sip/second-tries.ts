/** The list of tests that needed a second try, in a file that the test processes of a run share. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The environment variable that names the file. */
export const secondTriesFile = 'TEST_SIP_SECOND_TRIES';

export const reportSecondTry = (testFile: string, title: string, error: Error | undefined): void => {
  const file = process.env[secondTriesFile];
  if (file === undefined) return;
  // AVA wraps the rejection of a test.
  const reason = error?.cause instanceof Error ? error.cause : error;
  const [firstLine = ''] = String(reason).split('\n');
  appendFileSync(file, `${testFile}: ${title}: ${firstLine}\n`);
};

/** One `<file>: <title>: <first failure>` each. */
export const readSecondTries = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
