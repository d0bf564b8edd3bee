/**
 * Ends what gateways that disconnected have left and no other gateway takes over: calls, which drachtio-server would
 * refresh forever, and INVITEs, which would ring on.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export const createAbandoned = (options: {
  /** Delay in milliseconds after the loss of the gateway. */
  afterMs: number;
  /** Returns each of them that has been without a gateway since this time or longer, once. */
  take: (lostAt: number) => string[];
  end: (id: string) => Promise<void>;
  /** Message of the log. */
  say: string;
  clock: Clock;
  logger: Logger;
}) => {
  const { afterMs, take, end, say, clock, logger } = options;
  const timers = new Set<unknown>();

  const endAll = (lostAt: number): void => {
    const left = take(lostAt);
    if (left.length === 0) return;
    logger.warn({ count: left.length }, say);
    for (const id of left) void end(id);
  };

  return {
    /** Called when a gateway has disconnected. */
    expect(): void {
      // Kept instead of a duration, because a timer may fire a millisecond early, and the wall clock may be set.
      const lostAt = clock.now();
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        endAll(lostAt);
      }, afterMs);
      timers.add(timer);
    },
    close(): void {
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
};
