/**
 * A simulated clock on which every timer fires at its exact time: unlike xstate's, `now` never runs ahead of due
 * timers.
 */
import type { Clock } from '#src/domain/clock.ts';

export type OrderedClock = Clock & {
  /** Advances by this much time. */
  advance(milliseconds: number): void;
  /** Number of pending timers. */
  pending(): number;
};

export const createOrderedClock = (startAt = 1_800_000_000_000): OrderedClock => {
  const timers = new Map<number, { due: number; callback: () => void }>();
  let now = startAt;
  let lastId = 0;

  /** Timers of the same moment fire in the order in which they were set. */
  const nextUntil = (end: number): number | undefined => {
    let next: number | undefined;
    for (const [id, { due }] of timers)
      if (due <= end && (next === undefined || due < (timers.get(next)?.due ?? 0))) next = id;
    return next;
  };

  return {
    now: () => now,
    setTimeout(callback, milliseconds) {
      lastId += 1;
      timers.set(lastId, { due: now + Math.max(0, milliseconds), callback });
      return lastId;
    },
    clearTimeout(id) {
      if (typeof id === 'number') timers.delete(id);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (let id = nextUntil(end); id !== undefined; id = nextUntil(end)) {
        const timer = timers.get(id);
        timers.delete(id);
        if (timer === undefined) continue;
        now = Math.max(now, timer.due);
        timer.callback();
      }
      now = end;
    },
    pending: () => timers.size,
  };
};
