/** Fades: a voice that starts or stops within one sample clicks, so its edges rise and fall over a few milliseconds. */
import { samplesPerMs, type SampleRate } from '../samples.ts';

const fadeMs = 10;
export const fadeSamples = (rate: SampleRate): number => fadeMs * samplesPerMs(rate);

/** Returns a copy that fades in. */
export const fadedIn = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.map((sample, index) => (index < length ? Math.round((sample * index) / length) : sample));
};

/** Returns the beginning of these samples, faded out. */
export const fadedOut = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const length = fadeSamples(rate);
  return samples.subarray(0, length).map((sample, index) => Math.round((sample * (length - index)) / length));
};
