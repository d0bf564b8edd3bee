/** Audio that counts: the loudness of each 20 ms frame is its number, which G.711 preserves. */
import { pcmu } from '#sip/audio/g711.ts';
import { frameSamples } from '#sip/rtp/sending.ts';

/** The audio counts up to this number, then restarts. */
export const countedFrames = 120;

const loudness = Array.from(
  { length: countedFrames },
  (_, index) => pcmu.decode(Uint8Array.of(0xfe - index))[0] ?? 0,
);

export const countingSound = (frames: number): Int16Array =>
  Int16Array.from(
    { length: frames * frameSamples },
    (_, index) => loudness[Math.floor(index / frameSamples) % countedFrames] ?? 0,
  );

/** The number of a frame; `filled` for concealment audio, `silent` for silence. */
export type Counted = number | 'filled' | 'silent';

const countedIn = (frame: Int16Array): Counted => {
  const [first = 0] = frame;
  const isEven = frame.every((sample) => sample === first);
  if (isEven && first === 0) return 'silent';
  const number = isEven ? loudness.indexOf(first) : -1;
  return number === -1 ? 'filled' : number;
};

export const framesOf = (samples: Int16Array): Int16Array[] =>
  Array.from({ length: Math.floor(samples.length / frameSamples) }, (_, index) =>
    samples.subarray(index * frameSamples, (index + 1) * frameSamples),
  );

/** The numbers of the frames in this audio. */
export const count = (samples: Int16Array): Counted[] => framesOf(samples).map(countedIn);
