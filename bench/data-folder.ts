import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';

const pollMs = 20;

/**
 * Creates a folder that is removed when `started` is disposed of, after a database that a killed gateway left running
 * in it was stopped.
 */
export const makeDataFolder = (started: AsyncDisposableStack): string => {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const cluster = join(path, 'postgresql', 'cluster');
  started.defer(async () => {
    for (let left = await findPostmaster(cluster); left !== undefined; left = await findPostmaster(cluster)) {
      process.kill(left.pid, 'SIGQUIT');
      await pause(pollMs);
    }
    await rm(path, { recursive: true, force: true, maxRetries: 10 });
  });
  return path;
};
