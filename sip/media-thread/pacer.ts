/** Clock of the audio: one tick every 20 ms, exact on average. */
import type { Cancel, LineTime } from '#sip/audio/line-time.ts';

/** Times are monotonic milliseconds. */
export type BeatTime = Pick<LineTime, 'now' | 'after'>;

/** Maximum of ticks that are made up for after a stall; the rest is dropped. */
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
