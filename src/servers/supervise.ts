/** Restarts a server whenever it exits, until it is stopped. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopProcess, hasEnded } from './server-process.ts';
import type { StartedServer } from './start-drachtio.ts';

export type RestartTimes = {
  /** Delay before a restart in milliseconds; doubled after each short run, up to a maximum. */
  firstMs: number;
  longestMs: number;
  /** Number of consecutive short runs after which the server is not restarted. */
  mostStarts: number;
  /** Duration of a run that counts as stable, in milliseconds. */
  steadyMs: number;
  /** Time in milliseconds between SIGTERM and SIGKILL. */
  patienceMs: number;
};

export type Supervised = {
  /** Resolves once the server is ready. Rejects if it never becomes ready. */
  ready: Promise<void>;
  stop(): Promise<void>;
};

const howItEnded = ({ exitCode, signalCode }: StartedServer['child']): string =>
  signalCode === null ? `exit code ${exitCode}` : signalCode;

export const supervise = (options: {
  start: () => StartedServer;
  times: RestartTimes;
  /** Called when the server has exited. The server is restarted after `restartsInMs`. */
  onEnded: (how: string, restartsInMs: number) => void;
  onBack: () => void;
  /** Called when the server exits repeatedly and is no longer restarted. */
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
    // A server that does not become ready is stopped, whether it has exited or does not respond: both lead to a
    // restart.
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
  // The rejection is ignored here, because a failed start is reported to callers that wait for `ready`.
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
