/** A server of this machine that is started again whenever it ends by itself, until it is told to end. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopProcess, hasEnded } from './server-process.ts';
import type { StartedServer } from './start-drachtio.ts';

export type RestartTimes = {
  /** Before it is started again; doubled each time it does not last, up to the longest. */
  firstMs: number;
  longestMs: number;
  /** After so many starts in a row that did not last it is given up. */
  mostStarts: number;
  /** Who has run for so long has lasted. */
  steadyMs: number;
  /** After which a server that was asked to end is killed. */
  patienceMs: number;
};

export type Supervised = {
  /** It was ready once. Rejects when it did not get so far. */
  ready: Promise<void>;
  stop(): Promise<void>;
};

const howItEnded = ({ exitCode, signalCode }: StartedServer['child']): string =>
  signalCode === null ? `exit code ${exitCode}` : signalCode;

export const supervise = (options: {
  start: () => StartedServer;
  times: RestartTimes;
  /** It has ended by itself, in this way, and is started again after so many milliseconds. */
  onEnded: (how: string, restartsInMs: number) => void;
  onBack: () => void;
  /** It ends again and again, and is not started any more. */
  onGivenUp: () => void;
}): Supervised => {
  const { times } = options;
  const ending = new AbortController();
  const { signal } = ending;
  let server = options.start();
  let startedAt = performance.now();
  let delayMs = times.firstMs;
  let startsInARow = 1;

  const untilEnded = async (): Promise<void> => {
    if (!hasEnded(server.child)) await once(server.child, 'exit');
  };

  const startAgain = async (): Promise<void> => {
    startsInARow += 1;
    options.onEnded(howItEnded(server.child), delayMs);
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    delayMs = Math.min(delayMs * 2, times.longestMs);
    if (signal.aborted) return;
    server = options.start();
    startedAt = performance.now();
    // One that does not get ready ends, or answers nothing: both begin again.
    await server.ready.then(options.onBack, () => stopProcess(server.child, times.patienceMs));
  };

  const keep = async (): Promise<void> => {
    await server.ready;
    for (;;) {
      await untilEnded();
      if (signal.aborted) return;
      if (performance.now() - startedAt >= times.steadyMs) {
        delayMs = times.firstMs;
        startsInARow = 1;
      }
      if (startsInARow >= times.mostStarts) return options.onGivenUp();
      await startAgain();
    }
  };

  const first = server.ready;
  // Whoever waits for `ready` hears of a server that did not start.
  const keeping = keep().catch(() => undefined);
  return {
    ready: first,
    async stop() {
      ending.abort();
      await stopProcess(server.child, times.patienceMs);
      await keeping;
    },
  };
};
