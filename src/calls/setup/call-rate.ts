/**
 * Limits the rate of new calls after an overload. A call costs most after its setup, when it talks. A gateway that
 * accepts calls whenever its event loop is free for a moment is therefore overloaded again a few seconds later. The
 * limit falls while the gateway is overloaded, and grows while it has time left, until there is none.
 */
import type { Clock } from '#src/domain/clock.ts';

export type CallRateNumbers = Readonly<{
  /** Interval between two changes of the limit. */
  everyMs: number;
  /** Factors of the limit per interval. */
  decrease: number;
  increase: number;
  /** Calls per second: the smallest limit, and the one from which there is none. */
  least: number;
  most: number;
}>;

/** State of the event loop. `overloaded`: calls are delayed. `busy`: there is no time left for more calls. */
export type LoopState = 'free' | 'busy' | 'overloaded';

export type CallRate = {
  /** Counts a new call. Returns false if the limit is reached. */
  take(): boolean;
  close(): void;
};

export const createCallRate = (options: {
  numbers: CallRateNumbers;
  state: () => LoopState;
  /** Monotonic clock. */
  clock: Clock;
}): CallRate => {
  const { numbers, state, clock } = options;
  const { everyMs, decrease, increase, least, most } = numbers;
  /** Calls per second. */
  let limit = Infinity;
  /** Calls that may begin now. */
  let room = 0;
  let roomAt = 0;
  /** Calls since the last change of the limit. */
  let taken = 0;
  /** Whether the gateway was overloaded at the last look. A single one is no reason for a limit. */
  let wasOverloaded = false;

  const change = (): void => {
    const rate = (taken * 1_000) / everyMs;
    taken = 0;
    const now = state();
    const isLasting = wasOverloaded;
    wasOverloaded = now === 'overloaded';
    switch (now) {
      case 'overloaded':
        if (limit === Infinity && !isLasting) return;
        if (limit === Infinity) roomAt = clock.now();
        limit = Math.max(least, Math.min(limit, rate) * decrease);
        return;
      case 'free':
        limit *= increase;
        if (limit > most) limit = Infinity;
        return;
      case 'busy':
    }
  };

  let timer: unknown;
  const changeAgain = (): void => {
    timer = clock.setTimeout(() => {
      change();
      changeAgain();
    }, everyMs);
  };
  changeAgain();

  /** Counts the calls that the limit has allowed since the last time. Unused ones do not add up to a burst. */
  const refill = (): void => {
    const now = clock.now();
    room = Math.min(Math.max(1, (limit * everyMs) / 1_000), room + (limit * (now - roomAt)) / 1_000);
    roomAt = now;
  };

  return {
    take() {
      if (limit !== Infinity) {
        refill();
        if (room < 1) return false;
        room -= 1;
      }
      taken += 1;
      return true;
    },
    close: () => clock.clearTimeout(timer),
  };
};
