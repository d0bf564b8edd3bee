import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

const firstDelayMs = 250;
const longestDelayMs = 5_000;

/** Where a server is reached, and what it lets clients in by. */
export type ServerAddress = { host: string; port: number; secret: string };

/** A connection that is made again whenever it is lost, until it is closed. */
export type Kept<Connection> = {
  /** The connection as it stands now. */
  readonly current: () => Connection | null;
  /** Why there is none, as a plain sentence; `null` when there is one. */
  readonly problem: () => string | null;
  /** Begins to connect. Resolves after the first attempt, whatever came of it; further ones follow by themselves. */
  readonly open: () => Promise<void>;
  readonly close: () => void;
};

export const keepConnected = <Connection>(options: {
  /** For the log and for people: `FreeSWITCH at 127.0.0.1:8021`. */
  to: string;
  connect: (onLost: () => void) => Promise<Connection>;
  disconnect: (connection: Connection) => void;
  onConnected?: () => void;
  /** It was connected and is not any more, not by `close`. */
  onLost: () => void;
  clock: Clock;
  logger: Logger;
}): Kept<Connection> => {
  const { to, clock, logger } = options;
  let current: Connection | null = null;
  let problem: string | null = `Not connected to ${to} yet.`;
  let delayMs = firstDelayMs;
  let timer: unknown;
  let isClosed = false;

  const tryAgain = (because: string): void => {
    problem = `No connection to ${to}: ${because}`;
    logger.warn({ retry_ms: delayMs }, problem);
    timer = clock.setTimeout(() => void attempt(), delayMs);
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  };

  const attempt = async (): Promise<void> => {
    let wasLost = false;
    const lose = (): void => {
      if (wasLost) return;
      wasLost = true;
      // Not yet in hand: the attempt below sees it.
      if (current === null) return;
      const lost = current;
      current = null;
      options.disconnect(lost);
      if (isClosed) return;
      options.onLost();
      tryAgain('it was lost.');
    };
    try {
      const connection = await options.connect(lose);
      if (isClosed || wasLost) {
        options.disconnect(connection);
        if (!isClosed) tryAgain('it was lost.');
        return;
      }
      current = connection;
      problem = null;
      delayMs = firstDelayMs;
      logger.info(`connected to ${to}`);
      options.onConnected?.();
    } catch (error) {
      if (!isClosed) tryAgain(error instanceof Error ? error.message : String(error));
    }
  };

  return {
    current: () => current,
    problem: () => problem,
    open: attempt,
    close() {
      isClosed = true;
      problem = `The connection to ${to} is closed.`;
      clock.clearTimeout(timer);
      if (current !== null) options.disconnect(current);
      current = null;
    },
  };
};
