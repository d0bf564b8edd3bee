/** The clock of the sound: one tick every 20 ms, on the average exactly. */

/** After a stall: so many ticks are made up for at once, and the rest is left out. */
const mostAtOnce = 10;

/** `now` is monotonic milliseconds. */
/** Returns how to stop it. */
export const startPacer = (
  tick: () => void,
  options: {
    everyMs: number;
    now: () => number;
    setTimeout: (callback: () => void, milliseconds: number) => NodeJS.Timeout;
  },
): (() => void) => {
  const { everyMs, now } = options;
  let due = now() + everyMs;
  let timer: NodeJS.Timeout;

  const wake = (): void => {
    const late = Math.floor((now() - due) / everyMs) + 1;
    for (let made = 0; made < Math.min(late, mostAtOnce); made += 1) tick();
    due += Math.max(0, late) * everyMs;
    timer = options.setTimeout(wake, Math.max(0, due - now()));
  };

  timer = options.setTimeout(wake, everyMs);
  return () => clearTimeout(timer);
};
