/** A clock advanced by the test; timers that are due immediately run by themselves, in their own task. */
import { createOrderedClock, type OrderedClock } from '#test/contract/ordered-clock.ts';

export const createTurnedClock = (): OrderedClock => {
  const clock = createOrderedClock();
  return {
    ...clock,
    setTimeout(callback, milliseconds) {
      if (milliseconds <= 0) setImmediate(() => clock.advance(0));
      return clock.setTimeout(callback, milliseconds);
    },
  };
};
