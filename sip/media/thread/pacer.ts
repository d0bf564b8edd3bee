/** The clock of the sound: one tick every 20 ms, on the average exactly. */
import type { Cancel, LineTime } from '../../line-time.ts';

/** Its moments are monotonic milliseconds. */
export type BeatTime = Pick<LineTime, 'now' | 'after'>;

/** After a stall: so many ticks are made up for at once, and the rest is left out. */
const mostAtOnce = 10;

/** Returns how to stop it. */
export const startPacer = (tick: () => void, everyMs: number, { now, after }: BeatTime): Cancel => {
  let due = now() + everyMs;

  const wake = (): void => {
    const late = Math.floor((now() - due) / everyMs) + 1;
    due += Math.max(0, late) * everyMs;
    cancel = after(Math.max(0, due - now()), wake);
    for (let made = 0; made < Math.min(late, mostAtOnce); made += 1) tick();
  };

  let cancel = after(everyMs, wake);
  return () => cancel();
};
