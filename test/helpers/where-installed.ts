/** Tests that need a program of the machine. */
import { spawnSync } from 'node:child_process';
import test, { type Implementation } from 'ava';

const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** Appended to the title of a test that is skipped: `npm test` prints the reason. */
export const skippedWithout = (name: string): string => ` (skipped: ${name} is not installed)`;

/** Declares serial tests; they are skipped, with the reason in their titles, where one of the programs is missing. */
export const whereInstalled = (
  ...programs: readonly string[]
): ((title: string, run: Implementation<[]>) => void) => {
  const missing = programs.find((program) => !isInstalled(program));
  if (missing === undefined) return (title, run) => test.serial(title, run);
  return (title, run) => test.serial.skip(`${title}${skippedWithout(missing)}`, run);
};
