/**
 * Keeps a process that was frozen from acting in calls that another process has taken meanwhile. A gap between the
 * process's own ticks closes the fence. Commands to the servers and agents of calls then wait until the database has
 * confirmed whether this process still holds the calls. Facts need no fence, because each write compares the epoch of
 * the call.
 */
import type { Clock } from './clock.ts';

/** Rejection of commands that waited for calls that this process no longer holds. */
export class CallsLost extends Error {}

export type Fence = {
  /** Whether commands may be sent now. Also detects a freeze that has just ended. */
  isOpen(): boolean;
  /** Resolves when commands may be sent; rejects with `CallsLost`. */
  pass(): Promise<void>;
  /** Subscribes to decisions about a freeze: whether this process still holds its calls. */
  onDecided(listener: (areHeld: boolean) => void): void;
};

export type FreezeFence = Fence & {
  /** Tick, to be called at short intervals; a longer gap is a freeze. */
  tick(): void;
  /** Begins a query of the database. A freeze that ends later makes its result invalid. */
  ask(): { decide(areHeld: boolean): 'decided' | 'ask again' };
};

/** A fence that is always open, for a process whose calls cannot be taken over. */
export const openFence: Fence = { isOpen: () => true, pass: async () => {}, onDecided() {} };

/**
 * `mostGapMs`: shorter than the time after which other gateways take the calls, longer than the event loop is ever
 * blocked.
 */
export const createFreezeFence = (
  clock: Pick<Clock, 'now'>,
  mostGapMs: number,
  onFrozen: (gapMs: number) => void,
): FreezeFence => {
  const listeners: ((areHeld: boolean) => void)[] = [];
  let tickedAt = clock.now();
  let freezes = 0;
  let waiting: PromiseWithResolvers<void> | null = null;

  const look = (): void => {
    const now = clock.now();
    const gapMs = now - tickedAt;
    tickedAt = gapMs > mostGapMs ? now : tickedAt;
    if (gapMs <= mostGapMs) return;
    freezes += 1;
    onFrozen(gapMs);
    if (waiting !== null) return;
    waiting = Promise.withResolvers();
    // Avoids an unhandled rejection if no command waits.
    waiting.promise.catch(() => {});
  };

  const isOpen = (): boolean => {
    look();
    return waiting === null;
  };

  return {
    isOpen,
    async pass() {
      if (!isOpen()) await waiting?.promise;
    },
    onDecided: (listener) => void listeners.push(listener),
    tick() {
      look();
      tickedAt = clock.now();
    },
    ask() {
      look();
      const asked = freezes;
      return {
        decide(areHeld) {
          look();
          if (waiting === null) return 'decided';
          if (asked !== freezes) return 'ask again';
          const { resolve, reject } = waiting;
          waiting = null;
          if (areHeld) resolve();
          else reject(new CallsLost('Another gateway has taken the calls'));
          for (const listener of listeners) listener(areHeld);
          return 'decided';
        },
      };
    },
  };
};
