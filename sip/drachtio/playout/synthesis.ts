/** The agent's voice as a telephone carries it: 8000 Hz, piece by piece where the engine gives it so. */
import { resample } from '../../resample.ts';
import type { Audio, Synthesizer } from '../../speech.ts';
import { joinSamples } from '#src/domain/samples.ts';

const lineSampleRate = 8_000;
/** Samples on either side that the filter of `resample` looks at, at rates up to 48000 Hz. */
const contextSamples = 32;

/** Speaks a sentence; what comes is to be played as it comes. */
export type Speak = (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Sentences that an engine remembers come as the same samples again, call after call. */
const fitted = new WeakMap<Int16Array, Int16Array>();

const fit = (samples: Int16Array, ratio: number): Int16Array => {
  const known = fitted.get(samples) ?? resample(samples, ratio);
  fitted.set(samples, known);
  return known;
};

/**
 * Resamples pieces as if they were one. Samples are taken in units that are a whole number of samples at both rates,
 * and the last ones wait for what follows them.
 */
async function* atLineRate(pieces: AsyncIterable<Audio>): AsyncGenerator<Int16Array> {
  let rest: Int16Array = new Int16Array();
  let before = 0;
  let ratio = 1;
  for await (const { sampleRate, samples } of pieces) {
    if (sampleRate === lineSampleRate) {
      yield samples;
      continue;
    }
    ratio = sampleRate / lineSampleRate;
    const unit = sampleRate / divisor(sampleRate, lineSampleRate);
    const context = unit * Math.ceil(contextSamples / unit);
    rest = rest.length === 0 ? samples : joinSamples([rest, samples]);
    const until = rest.length - context - (rest.length % unit);
    if (until <= before) continue;
    yield fit(rest, ratio).subarray(before / ratio, until / ratio);
    const kept = Math.max(0, until - context);
    rest = rest.slice(kept);
    before = until - kept;
  }
  if (rest.length > before) yield resample(rest, ratio).subarray(before / ratio);
}

export const createSpeak = (synthesizer: Synthesizer, language: string): Speak =>
  async function* (text, signal) {
    if (synthesizer.stream !== undefined) {
      yield* atLineRate(synthesizer.stream(text, language, signal));
      return;
    }
    const { sampleRate, samples } = await synthesizer.synthesize(text, language, signal);
    yield fit(samples, sampleRate / lineSampleRate);
  };
