import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

const firstDelayMs = 250;
const longestDelayMs = 5_000;

/** Address of a server, and the secret with which it authenticates clients. */
export type ServerAddress = { host: string; port: number; secret: string };

/** A connection that is re-established after each loss until it is closed. */
export type Kept<Connection> = {
  /** Returns the current connection; null without one. */
  readonly current: () => Connection | null;
  /** Returns why there is no connection, as a plain sentence; `null` if there is a connection. */
  readonly problem: () => string | null;
  /**
   * Begins to connect. Resolves after the first attempt, whether it succeeded or not; further attempts follow
   * automatically.
   */
  readonly open: () => Promise<void>;
  readonly close: () => void;
};

type State<Connection> =
  | { is: 'away'; problem: string }
  | { is: 'connected'; connection: Connection }
  | { is: 'closed'; problem: string };

export const keepConnected = <Connection>(options: {
  /** Name of the server for logs and messages: `FreeSWITCH at 127.0.0.1:8021`. */
  to: string;
  connect: (onLost: () => void) => Promise<Connection>;
  disconnect: (connection: Connection) => void;
  onConnected?: () => void;
  /** Called when an established connection is lost, unless `close` was called. */
  onLost: () => void;
  clock: Clock;
  logger: Logger;
}): Kept<Connection> => {
  const { to, clock, logger } = options;
  let state: State<Connection> = { is: 'away', problem: `Not connected to ${to} yet.` };
  let delayMs = firstDelayMs;
  let connectedAt = clock.now();
  let timer: unknown;

  const awayBecause = (because: string): { is: 'away'; problem: string } => ({
    is: 'away',
    problem: `No connection to ${to}: ${because}`,
  });

  const tryAgain = (because: string, afterMs = delayMs): void => {
    if (state.is === 'closed') return;
    state = awayBecause(because);
    logger.warn({ retry_ms: afterMs }, state.problem);
    timer = clock.setTimeout(() => void attempt(), afterMs);
    if (afterMs > 0) delayMs = Math.min(2 * delayMs, longestDelayMs);
  };

  const lose = (lost: Connection): void => {
    if (state.is !== 'connected' || state.connection !== lost) return;
    state = awayBecause('it was lost.');
    options.disconnect(lost);
    options.onLost();
    // After a lasting connection, the first attempt follows at once, because the closed port of a dead server shows
    // that the server has died.
    tryAgain('it was lost.', clock.now() - connectedAt > firstDelayMs ? 0 : delayMs);
  };

  const attempt = async (): Promise<void> => {
    const loss = new AbortController();
    try {
      const connection = await options.connect(() => loss.abort());
      if (state.is === 'closed' || loss.signal.aborted) {
        options.disconnect(connection);
        return tryAgain('it was lost.');
      }
      state = { is: 'connected', connection };
      connectedAt = clock.now();
      loss.signal.addEventListener('abort', () => lose(connection));
      delayMs = firstDelayMs;
      logger.info(`connected to ${to}`);
      options.onConnected?.();
    } catch (error) {
      tryAgain(error instanceof Error ? error.message : String(error));
    }
    return undefined;
  };

  return {
    current: () => (state.is === 'connected' ? state.connection : null),
    problem: () => (state.is === 'connected' ? null : state.problem),
    open: attempt,
    close() {
      const before = state;
      state = { is: 'closed', problem: `The connection to ${to} is closed.` };
      clock.clearTimeout(timer);
      if (before.is === 'connected') options.disconnect(before.connection);
    },
  };
};
