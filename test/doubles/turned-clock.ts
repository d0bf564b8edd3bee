/** A clock that stands until the test turns it; what is due at once happens by itself, in a task of its own. */
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
