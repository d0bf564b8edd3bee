/** Tests that require an installed program. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import test, { type Implementation } from 'ava';

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Suffix for the title of a skipped test, so that `npm test` prints the reason. */
export const skippedWithout = (name: string): string => ` (skipped: ${name} is not installed)`;

/** Declares serial tests. If one of the programs is missing, they are skipped, with the reason in their titles. */
export const whereInstalled = (
  ...programs: readonly string[]
): ((title: string, run: Implementation<[]>) => void) => {
  const missing = programs.find((program) => !isInstalled(program));
  if (missing === undefined) return (title, run) => test.serial(title, run);
  return (title, run) => test.serial.skip(`${title}${skippedWithout(missing)}`, run);
};
