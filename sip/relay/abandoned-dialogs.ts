/** Calls that no gateway goes on with are hung up: drachtio-server would keep them alive for ever, and nobody is there. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export const createAbandonedDialogs = (options: {
  /** So long after their gateway was gone. */
  afterMs: number;
  /** Those that have been without a gateway for so long, once. */
  take: (forMs: number) => string[];
  end: (dialogId: string) => Promise<void>;
  clock: Clock;
  logger: Logger;
}) => {
  const { afterMs, take, end, clock, logger } = options;
  const timers = new Set<unknown>();

  const endAll = (): void => {
    const left = take(afterMs);
    if (left.length === 0) return;
    logger.warn(
      { dialogs: left.length },
      'no gateway goes on with calls that one has left: they are hung up',
    );
    for (const dialogId of left) void end(dialogId);
  };

  return {
    /** A gateway is gone. */
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
