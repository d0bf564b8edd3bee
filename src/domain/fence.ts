/**
 * Fence that keeps a process that was frozen from acting in calls that another process has taken over meanwhile. A gap
 * between the process's own ticks closes the fence. Commands to the servers and agents of calls then wait until the
 * database has confirmed whether this process still owns the calls. Facts need no fence, because each write compares
 * the epoch of the call.
 */
import type { Clock } from './clock.ts';

/** Rejection of commands that waited for calls that this process no longer owns. */
export class CallsLost extends Error {}

export type Fence = {
  /** Whether commands may be sent now. The check also detects a freeze that has just ended. */
  isOpen(): boolean;
  /** Resolves when commands may be sent. Rejects with `CallsLost`. */
  pass(): Promise<void>;
  /** Subscribes to decisions after a freeze: whether this process still owns its calls. */
  onDecided(listener: (areHeld: boolean) => void): void;
};

export type FreezeFence = Fence & {
  /** Must be called at short intervals; a longer gap between two calls counts as a freeze. */
  tick(): void;
  /** Begins a query of the database. If another freeze ends during the query, its result is invalid. */
  ask(): { decide(areHeld: boolean): 'decided' | 'ask again' };
};

/** A fence that is always open, for a process whose calls cannot be taken over. */
export const openFence: Fence = { isOpen: () => true, pass: async () => {}, onDecided() {} };

/**
 * Creates a fence. `mostGapMs` is the longest gap that is no freeze: shorter than the time after which other gateways
 * take over the calls, and longer than the event loop is ever blocked.
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
