/** Clock of the audio with one tick every 20 ms, exact on average. */
import type { Cancel, LineTime } from '#sip/audio/line-time.ts';

/** Clock functions in monotonic milliseconds. */
export type BeatTime = Pick<LineTime, 'now' | 'after'>;

/** Maximum number of missed ticks that run after a stall; further missed ticks are dropped. */
const mostAtOnce = 10;

/** Returns a function that stops the clock. */
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
