/**
 * Keeps a process that was frozen from acting in calls that another one has taken meanwhile. A gap in the process's own
 * ticks closes the fence; commands to the servers and agents of calls then wait, until the database has said whether
 * the calls are still held here. Facts need no fence, because the epoch of a call is compared at each write.
 */
import type { Clock } from './clock.ts';

/** The commands waited for calls that this process does not hold any more. */
export class CallsLost extends Error {}

export type Fence = {
  /** Whether commands may be sent now. Also finds out about a freeze that has just ended. */
  isOpen(): boolean;
  /** Resolves when commands may be sent; rejects with `CallsLost`. */
  pass(): Promise<void>;
  /** Subscribes to what was decided about a freeze: whether the calls are still held here. */
  onDecided(listener: (areHeld: boolean) => void): void;
};

export type FreezeFence = Fence & {
  /** To be called at short intervals; a longer gap is a freeze. */
  tick(): void;
  /** Begins to ask; a freeze that ends later makes the answer worthless. */
  ask(): { decide(areHeld: boolean): 'decided' | 'ask again' };
};

/** For a process that nobody would replace. */
export const openFence: Fence = { isOpen: () => true, pass: async () => {}, onDecided() {} };

/** `mostGapMs`: shorter than the time after which others take the calls, longer than the event loop is ever busy. */
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
