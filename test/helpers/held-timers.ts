/**
 * Time limits that a test can expire, for code that uses global timers (such as pg). Each limit has a length in
 * milliseconds that no other timer of the thread has; `expire` fires the pending timers of that length. The timers are
 * also real: a test that hangs ends after a minute.
 */
import { until } from './until.ts';

const longestMs = 60_000;

const pending = new Map<NodeJS.Timeout, { milliseconds: number; fire: () => void }>();
let limits = 0;

/** Wraps the timer functions of this thread; timers of other lengths are not affected. */
const holdTimers = (): void => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  globalThis.setTimeout = new Proxy(set, {
    apply(_, self, [callback, milliseconds, ...given]: Parameters<typeof set>) {
      const isHeld =
        milliseconds !== undefined && milliseconds > longestMs && milliseconds <= longestMs + limits;
      const timer: NodeJS.Timeout = Reflect.apply(set, self, [callback, milliseconds, ...given]);
      if (isHeld) pending.set(timer, { milliseconds, fire: () => callback(...given) });
      return timer;
    },
  });
  globalThis.clearTimeout = new Proxy(clear, {
    apply(_, self, [timer]: Parameters<typeof clear>) {
      if (typeof timer === 'object') pending.delete(timer);
      return Reflect.apply(clear, self, [timer]);
    },
  });
};

export type HeldLimit = {
  milliseconds: number;
  /** Fires the pending timers of this limit. */
  expire: () => void;
  /** Resolves when a timer of this limit is pending. */
  untilPending: () => Promise<unknown>;
};

export const heldLimit = (): HeldLimit => {
  if (limits === 0) holdTimers();
  limits += 1;
  const milliseconds = longestMs + limits;
  const own = () => [...pending].filter(([, timer]) => timer.milliseconds === milliseconds);
  return {
    milliseconds,
    expire() {
      for (const [timer, { fire }] of own()) {
        clearTimeout(timer);
        fire();
      }
    },
    untilPending: () => until('a timer is pending', () => (own().length > 0 ? true : undefined)),
  };
};
