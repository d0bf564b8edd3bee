/** A voice that stops or begins from one sample to the next clicks; so its edge rises or falls within a few milliseconds. */
import { samplesPerMs, type SampleRate } from '../samples.ts';

const fadeMs = 10;
export const fadeSamples = (rate: SampleRate): number => fadeMs * samplesPerMs(rate);

/** A copy whose beginning rises. */
export const fadedIn = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.map((sample, index) => (index < length ? Math.round((sample * index) / length) : sample));
};

/** The beginning of these samples as the end of a voice: it falls. */
export const fadedOut = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.subarray(0, length).map((sample, index) => Math.round((sample * (length - index)) / length));
};
