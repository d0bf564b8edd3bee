/** Shuts the embedded server down. */
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster } from './postmaster.ts';

const longestMs = 15_000;
const pollMs = 10;

/** Sends a signal. An error because the server has ended meanwhile is ignored. */
const tell = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

/** Ends the server of this cluster, if one runs, and waits for it up to a time limit. */
export const shutDown = async (cluster: string): Promise<void> => {
  const server = await findPostmaster(cluster);
  if (server === undefined) return;
  const { pid } = server;
  // SIGINT is PostgreSQL's "fast" shutdown. SIGQUIT is its "immediate" shutdown, after which PostgreSQL recovers at the
  // next start.
  tell(pid, 'SIGINT');
  const deadline = performance.now() + longestMs;
  while ((await findPostmaster(cluster))?.pid === pid) {
    if (performance.now() > deadline) {
      tell(pid, 'SIGQUIT');
      // A stopped process acts on a signal only after it is continued.
      tell(pid, 'SIGCONT');
      return;
    }
    await sleep(pollMs);
  }
};
