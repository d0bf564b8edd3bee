/** The sound at a telephone: what is said into it and what is heard from it, 20 ms at a time. */
import { frameSamples } from './unicast.ts';

const frameMs = 20;
/** Louder is a voice. */
const audible = 200;
/** A shorter pause ends no utterance. */
const pauseMs = 1_000;

const isVoiced = (frame: Int16Array): boolean =>
  Math.sqrt(frame.reduce((sum, sample) => sum + sample ** 2, 0) / frame.length) > audible;

export const createTelephoneSound = () => {
  let saying: Int16Array = new Int16Array();
  let spokenMs = 0;
  let silentMs = 0;
  const waiting: { spokenMs: number; resolve: () => void }[] = [];

  return {
    /** Behind what is being said already. */
    say(samples: Int16Array): void {
      saying = Int16Array.of(...saying, ...samples);
    },
    /** What is said in the next 20 ms: silence where nothing is. */
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
    /** Resolves when somebody has spoken for so long without a longer pause. */
    untilSpokenTo: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => void waiting.push({ spokenMs: milliseconds, resolve })),
  };
};

export type TelephoneSound = ReturnType<typeof createTelephoneSound>;
