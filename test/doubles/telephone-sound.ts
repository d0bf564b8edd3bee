/** Audio at a telephone: its microphone and its speaker, in steps of 20 ms. */
import { frameSamples } from './unicast.ts';

const frameMs = 20;
/** RMS level above which a frame counts as voice. */
const audible = 200;
/** A shorter pause does not end an utterance. */
const pauseMs = 1_000;

const isVoiced = (frame: Int16Array): boolean =>
  Math.sqrt(frame.reduce((sum, sample) => sum + sample ** 2, 0) / frame.length) > audible;

export const createTelephoneSound = () => {
  let saying: Int16Array = new Int16Array();
  let spokenMs = 0;
  let silentMs = 0;
  const waiting: { spokenMs: number; resolve: () => void }[] = [];

  return {
    /** Appends audio to the queue of the microphone. */
    say(samples: Int16Array): void {
      saying = Int16Array.of(...saying, ...samples);
    },
    /** The next 20 ms of the microphone; silence if there is no audio. */
    next(): Int16Array {
      const frame = new Int16Array(frameSamples);
      frame.set(saying.subarray(0, frameSamples));
      saying = saying.subarray(frameSamples);
      return frame;
    },
    hear(frame: Int16Array): void {
      silentMs = isVoiced(frame) ? 0 : silentMs + frameMs;
      if (silentMs === 0) spokenMs += frameMs;
      else if (silentMs > pauseMs) spokenMs = 0;
      for (const one of waiting) if (spokenMs >= one.spokenMs) one.resolve();
    },
    /** Resolves when the other side has spoken for this long without a longer pause. */
    untilSpokenTo: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => void waiting.push({ spokenMs: milliseconds, resolve })),
  };
};

export type TelephoneSound = ReturnType<typeof createTelephoneSound>;
