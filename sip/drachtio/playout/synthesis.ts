/** The agent's voice as a telephone carries it: 8000 Hz, piece by piece where the engine gives it so. */
import { resamplingReach, type Resample } from '../../resampler.ts';
import type { Audio, Synthesizer } from '../../speech.ts';
import { joinSamples } from '#src/domain/samples.ts';

const lineSampleRate = 8_000;

/** Speaks a sentence; what comes is to be played as it comes. */
export type Speak = (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Sentences that an engine remembers come as the same samples again, call after call. */
const atLineRate = new WeakMap<Int16Array, Int16Array>();

const toLineRate = (resample: Resample, { sampleRate, samples }: Audio): Int16Array => {
  const known = atLineRate.get(samples) ?? resample(samples, sampleRate, lineSampleRate);
  atLineRate.set(samples, known);
  return known;
};

/**
 * Resamples pieces as if they were one. Samples are taken in units that are a whole number of samples at both rates,
 * and the last ones wait for what follows them.
 */
async function* joined(resample: Resample, pieces: AsyncIterable<Audio>): AsyncGenerator<Int16Array> {
  let rest: Audio = { sampleRate: lineSampleRate, samples: new Int16Array() };
  let before = 0;
  const lengthOnLine = (count: number): number => (count * lineSampleRate) / rest.sampleRate;
  for await (const { sampleRate, samples } of pieces) {
    if (sampleRate === lineSampleRate) {
      yield samples;
      continue;
    }
    rest = {
      sampleRate,
      samples: rest.samples.length === 0 ? samples : joinSamples([rest.samples, samples]),
    };
    const unit = sampleRate / divisor(sampleRate, lineSampleRate);
    const context = unit * Math.ceil(resamplingReach(sampleRate, lineSampleRate) / unit);
    const until = rest.samples.length - context - (rest.samples.length % unit);
    if (until <= before) continue;
    yield toLineRate(resample, rest).subarray(lengthOnLine(before), lengthOnLine(until));
    const kept = Math.max(0, until - context);
    rest = { sampleRate, samples: rest.samples.slice(kept) };
    before = until - kept;
  }
  if (rest.samples.length > before)
    yield resample(rest.samples, rest.sampleRate, lineSampleRate).subarray(lengthOnLine(before));
}

export const createSpeak = (resample: Resample, synthesizer: Synthesizer, language: string): Speak =>
  async function* (text, signal) {
    if (synthesizer.stream !== undefined) yield* joined(resample, synthesizer.stream(text, language, signal));
    else yield toLineRate(resample, await synthesizer.synthesize(text, language, signal));
  };
