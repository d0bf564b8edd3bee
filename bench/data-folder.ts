import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';

const pollMs = 20;

/**
 * A fresh folder that goes away with `started`, and with it a database that its gateway left running when it was killed.
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
