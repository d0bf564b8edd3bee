/** A voice that stops or begins from one sample to the next clicks; so its edge rises or falls within a few milliseconds. */
import { samplesPerMs } from '../../samples.ts';

const fadeMs = 10;
export const fadeSamples = fadeMs * samplesPerMs;

/** A copy whose beginning rises. */
export const fadedIn = (samples: Int16Array): Int16Array =>
  samples.map((sample, index) => (index < fadeSamples ? Math.round((sample * index) / fadeSamples) : sample));

/** The beginning of these samples as the end of a voice: it falls. */
export const fadedOut = (samples: Int16Array): Int16Array =>
  samples
    .subarray(0, fadeSamples)
    .map((sample, index) => Math.round((sample * (fadeSamples - index)) / fadeSamples));
