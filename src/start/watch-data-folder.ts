import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

/** Whether the data folder takes what is written: a sentence that says that it does not, or undefined. */
export type DataFolderProblem = () => Promise<string | undefined>;

/** So much is written that it takes room of its own on any file system. */
const probeBytes = 4_096;

/**
 * Finds out by writing, which alone tells of a full disk. An answer holds for `everyMs`, however often it is asked for.
 */
export const createDataFolderWatch = (options: {
  folder: string;
  everyMs: number;
  clock: Pick<Clock, 'now'>;
  logger: Logger;
  write?: typeof writeFile;
}): DataFolderProblem => {
  const { folder, everyMs, clock, logger, write = writeFile } = options;
  let known: { answer: Promise<string | undefined>; until: number } | undefined;

  const look = async (): Promise<string | undefined> => {
    const probe = join(folder, `.write-test-${randomUUID()}`);
    try {
      await write(probe, Buffer.alloc(probeBytes, 1), { flush: true });
      return undefined;
    } catch (error) {
      logger.warn({ err: error }, 'the data folder cannot be written to');
      return 'The data folder cannot be written to.';
    } finally {
      await rm(probe, { force: true }).catch(() => {});
    }
  };

  return () => {
    if (known === undefined || clock.now() >= known.until)
      known = { answer: look(), until: clock.now() + everyMs };
    return known.answer;
  };
};
