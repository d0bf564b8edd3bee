/**
 * The agent's voice of one call on its way into the audio thread's ring, which holds a few seconds: the rest follows as
 * room becomes free. The number of played samples is exact, because the ring is read at the time of sending.
 */
import type { Cancel, LineTime } from '../line-time.ts';
import { samplesPerMs, type SampleRate } from '../samples.ts';
import type { SoundPath } from './media-endpoint.ts';
import type { SampleRing } from './sample-ring.ts';

type Waiting = { samples: Int16Array } | { onPlayed: () => void };

/** The last frame is sent within one beat, and is audible within another. */
const beatMs = 20;
/** Time after which a full ring has room again: half of it, at the highest rate. */
const refillMs = 500;

const lengthOf = (one: Waiting): number => ('samples' in one ? one.samples.length : 0);

export const createSoundPath = (
  ring: Pick<SampleRing, 'write' | 'waiting' | 'takeBack'>,
  sampleRate: SampleRate,
  time: Pick<LineTime, 'after'>,
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
      if ('onPlayed' in next) {
        if (ring.waiting > 0) return wakeAfter(ring.waiting / samplesPerMs(sampleRate) + beatMs);
        waiting.shift();
        next.onPlayed();
        continue;
      }
      const taken = ring.write(next.samples);
      if (taken < next.samples.length) {
        next.samples = next.samples.subarray(taken);
        return wakeAfter(refillMs);
      }
      waiting.shift();
    }
    return undefined;
  };

  const add = (one: Waiting): void => {
    waiting.push(one);
    if (waiting.length === 1) goOn();
  };

  const takeBack = (): number => {
    cancelTimer?.();
    cancelTimer = null;
    const following = waiting.splice(0).reduce((sum, one) => sum + lengthOf(one), 0);
    return following + ring.takeBack();
  };

  return {
    send: (samples) => add({ samples }),
    whenPlayed: (onPlayed) => add({ onPlayed }),
    waiting: () => waiting.reduce((sum, one) => sum + lengthOf(one), ring.waiting),
    takeBack,
    close: () => void takeBack(),
  };
};
