/** Hangs up calls that no gateway takes over, because drachtio-server would otherwise refresh them forever. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export const createAbandonedDialogs = (options: {
  /** Delay in milliseconds after the loss of the gateway that held the calls. */
  afterMs: number;
  /** Returns each dialog that has been without a gateway for `forMs`, once. */
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
      'no gateway took over the calls of a lost gateway: they are hung up',
    );
    for (const dialogId of left) void end(dialogId);
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
