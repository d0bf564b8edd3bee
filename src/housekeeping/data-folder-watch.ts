import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

/** Resolves to a sentence about why the data folder cannot be written, or undefined. */
export type DataFolderProblem = () => Promise<string | undefined>;

/** Size of the probe file, large enough for a block of its own on any file system. */
const probeBytes = 4_096;

/** Tests the data folder by writing, because only writing reveals a full disk. A result is cached for `everyMs`. */
export const createDataFolderWatch = (options: {
  folder: string;
  everyMs: number;
  clock: Clock;
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
