/** Sound that counts: the loudness of each 20 ms says which they are, and G.711 carries it unchanged. */
import { pcmu } from '#sip/media/g711.ts';
import { frameSamples } from '#sip/media/rtp/sending.ts';

/** It counts so far before it begins anew. */
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

/** The number of a frame; `filled` for sound that was put in its place, `silent` for none. */
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

/** The counts in sound that begins with a frame. */
export const count = (samples: Int16Array): Counted[] => framesOf(samples).map(countedIn);
