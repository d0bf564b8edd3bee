/**
 * Ends what gateways that disconnected have left and no other gateway takes over: calls, which drachtio-server would
 * refresh forever, and INVITEs, which would ring on.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export const createAbandoned = (options: {
  /** Delay in milliseconds after the loss of the gateway. */
  afterMs: number;
  /** Returns each of them that has been without a gateway for `forMs`, once. */
  take: (forMs: number) => string[];
  end: (id: string) => Promise<void>;
  /** Message of the log. */
  say: string;
  clock: Clock;
  logger: Logger;
}) => {
  const { afterMs, take, end, say, clock, logger } = options;
  const timers = new Set<unknown>();

  const endAll = (): void => {
    const left = take(afterMs);
    if (left.length === 0) return;
    logger.warn({ count: left.length }, say);
    for (const id of left) void end(id);
  };

  return {
    /** Called when a gateway has disconnected. */
    expect(): void {
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        endAll();
      }, afterMs);
      timers.add(timer);
    },
    close(): void {
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
};
