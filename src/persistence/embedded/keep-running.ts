/**
 * Supervises the embedded server while the gateway runs. If the server is terminated from outside (killed, out of
 * memory), it is restarted, as often as necessary. No committed data is lost; clients must reconnect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Postmaster } from './postmaster.ts';

export type KeptServer = {
  /** Ends the supervision and cancels a start in progress. */
  stop: () => Promise<void>;
};

const watchMs = 250;
/** Number of looks of which one reads the server's status. The others only check that the process exists. */
const looksPerStatus = 16;
const retryFirstMs = 500;
const retryLongestMs = 30_000;

export const keepRunning = (options: {
  server: Postmaster;
  /** Whether a process with this id exists. Another program may have the id of a server that ended. */
  isAlive: (pid: number) => boolean;
  /** Returns the running server; undefined if none runs. */
  find: () => Promise<Postmaster | undefined>;
  /** Starts the server. Rejects if the server did not start or the signal aborted the start. */
  bringUp: (signal: AbortSignal) => Promise<Postmaster>;
  logger: Logger;
}): KeptServer => {
  const { isAlive, find, bringUp, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let { pid } = options.server;

  const pause = async (milliseconds: number): Promise<void> => {
    // The wait before the next start ends early when the supervision ends.
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
  };

  const startAgain = async (): Promise<void> => {
    for (let delay = retryFirstMs; !signal.aborted; delay = Math.min(delay * 2, retryLongestMs)) {
      try {
        ({ pid } = await bringUp(signal));
        logger.info({ server_pid: pid }, 'the embedded database runs again');
        return;
      } catch (err) {
        if (signal.aborted) return;
        logger.error(
          { err, retry_in_ms: delay },
          'the embedded database did not start; another start follows',
        );
        await pause(delay);
      }
    }
  };

  const watch = async (): Promise<void> => {
    for (let looks = 1; !signal.aborted; looks += 1) {
      await pause(watchMs);
      if (signal.aborted || (looks % looksPerStatus !== 0 && isAlive(pid))) continue;
      if ((await find())?.pid === pid) continue;
      logger.error({ server_pid: pid }, 'the embedded database ended unexpectedly; it is started again');
      await startAgain();
    }
  };

  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
};
