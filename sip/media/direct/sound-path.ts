/**
 * The agent's voice of one call on its way into the ring of the sound thread, which holds a few seconds: what is longer
 * follows as room comes. What is marked is reported when all before it has left.
 */
import type { Cancel, LineTime } from '../../line-time.ts';
import { samplesPerMs } from '../../samples.ts';
import type { SoundPath } from '../endpoint.ts';
import type { SampleRing } from '../sample-ring.ts';

type Waiting = { samples: Int16Array } | { mark: string };

/** The last frame leaves within one beat, and sounds within another. */
const beatMs = 20;

export const createSoundPath = (
  ring: Pick<SampleRing, 'write' | 'waiting' | 'takeBack'>,
  { time, onMark }: { time: Pick<LineTime, 'after'>; onMark: (name: string) => void },
): SoundPath => {
  const waiting: Waiting[] = [];
  let cancelTimer: Cancel | null = null;

  const wakeAfter = (milliseconds: number): void => {
    cancelTimer ??= time.after(milliseconds, () => {
      cancelTimer = null;
      goOn();
    });
  };

  const goOn = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if ('mark' in next) {
        if (ring.waiting > 0) return wakeAfter(ring.waiting / samplesPerMs + beatMs);
        waiting.shift();
        onMark(next.mark);
        continue;
      }
      const taken = ring.write(next.samples);
      if (taken < next.samples.length) {
        next.samples = next.samples.subarray(taken);
        return wakeAfter(1_000);
      }
      waiting.shift();
    }
    return undefined;
  };

  return {
    send(samples) {
      waiting.push({ samples });
      if (waiting.length === 1) goOn();
    },
    mark(name) {
      waiting.push({ mark: name });
      if (waiting.length === 1) goOn();
    },
    kill() {
      ring.takeBack();
      const marks = waiting.splice(0).flatMap((one) => ('mark' in one ? [one.mark] : []));
      for (const mark of marks) onMark(mark);
    },
    close() {
      cancelTimer?.();
      waiting.length = 0;
      ring.takeBack();
    },
  };
};
