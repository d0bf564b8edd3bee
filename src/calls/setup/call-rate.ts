/**
 * Limits the rate of new calls. A call costs most after its setup, when it talks: a gateway that accepts calls whenever
 * its event loop is free for a moment is overloaded a few seconds later. A burst of calls is therefore accepted up to
 * the rate that the gateway has carried so far. The limit grows while calls reach it and the gateway has time left, and
 * falls while the gateway is overloaded.
 */
import type { Clock } from '#src/domain/clock.ts';

export type CallRateNumbers = Readonly<{
  /** Interval between two changes of the limit. */
  everyMs: number;
  /** Factors of the limit per interval: in an overload, and while calls reach the limit. */
  decrease: number;
  increase: number;
  /** Calls per second: the limit of an idle gateway, the smallest and the largest limit. */
  usual: number;
  least: number;
  most: number;
  /** Seconds for which unused calls add up to a burst. */
  burstSec: number;
}>;

/** State of the event loop. `overloaded`: calls are delayed. `busy`: there is no time left for more calls. */
export type LoopState = 'free' | 'busy' | 'overloaded';

export type CallRate = {
  /** Whether one more call is within the limit. */
  hasRoom(): boolean;
  /** Counts a new call. */
  take(): void;
  close(): void;
};

/** Limits nothing: for a gateway whose event loop is not watched. */
export const unlimitedCallRate: CallRate = {
  hasRoom: () => true,
  take: () => undefined,
  close: () => undefined,
};

export const createCallRate = (options: {
  numbers: CallRateNumbers;
  state: () => LoopState;
  /** Monotonic clock. */
  clock: Clock;
}): CallRate => {
  const { numbers, state, clock } = options;
  const { everyMs, decrease, increase, usual, least, most, burstSec } = numbers;
  /** Calls per second. */
  let limit = usual;
  /** Calls that may begin now. */
  let room = usual * burstSec;
  let roomAt = clock.now();
  /** Calls since the last change of the limit, and whether one was refused. */
  let taken = 0;
  let wasReached = false;

  const mostRoom = (): number => Math.max(1, limit * burstSec);

  /** Adds the calls that the limit has allowed since the last time. */
  const refill = (): void => {
    const now = clock.now();
    room = Math.min(mostRoom(), room + (limit * (now - roomAt)) / 1_000);
    roomAt = now;
  };

  const nextLimit = (rate: number): number => {
    switch (state()) {
      case 'overloaded':
        // Without new calls the overload has another reason.
        return taken === 0 ? limit : Math.max(least, Math.min(limit, rate) * decrease);
      case 'free':
        if (wasReached || limit < usual) return Math.min(most, limit * increase);
        // A limit that calls do not reach is no experience.
        return Math.max(usual, limit / increase);
      default:
        return limit;
    }
  };

  const change = (): void => {
    refill();
    limit = nextLimit((taken * 1_000) / everyMs);
    room = Math.min(mostRoom(), room);
    taken = 0;
    wasReached = false;
  };

  let timer: unknown;
  const changeAgain = (): void => {
    timer = clock.setTimeout(() => {
      change();
      changeAgain();
    }, everyMs);
  };
  changeAgain();

  return {
    hasRoom() {
      refill();
      if (room >= 1) return true;
      wasReached = true;
      return false;
    },
    take() {
      room -= 1;
      taken += 1;
    },
    close: () => clock.clearTimeout(timer),
  };
};
