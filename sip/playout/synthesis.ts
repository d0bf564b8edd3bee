/** The agent's voice at the sample rate of the call, streamed where the engine streams. */
import { createRateChange, type RateChange } from '../rate-change.ts';
import type { Resample } from '../resampler.ts';
import type { SampleRate } from '../samples.ts';
import type { Audio, Synthesizer } from '../speech.ts';

/**
 * Speaks a sentence at this sample rate; `language` (BCP 47) if it differs from the call's first one. Pieces are to be
 * played as they arrive.
 */
export type Speak = (
  text: string,
  sampleRate: SampleRate,
  signal: AbortSignal,
  language?: string,
) => AsyncIterable<Int16Array>;

/** Cached sentences are the same samples in every call. */
const known = new WeakMap<Int16Array, Map<number, Int16Array>>();

/** Keeps resampled audio as long as its source exists. */
const remembering =
  (resample: Resample): Resample =>
  (samples, fromRate, toRate) => {
    const byRate = known.get(samples) ?? new Map<number, Int16Array>();
    const changed = byRate.get(toRate) ?? resample(samples, fromRate, toRate);
    known.set(samples, byRate.set(toRate, changed));
    return changed;
  };

async function* atRate(
  sampleRate: SampleRate,
  pieces: AsyncIterable<Audio>,
  resample: Resample,
): AsyncGenerator<Int16Array> {
  let change: RateChange | null = null;
  for await (const piece of pieces) {
    change ??= createRateChange(resample, piece.sampleRate, sampleRate);
    const changed = change.take(piece.samples);
    if (changed.length > 0) yield changed;
  }
  const last = change?.end() ?? new Int16Array();
  if (last.length > 0) yield last;
}

export const createSpeak = (resample: Resample, synthesizer: Synthesizer, usual: string): Speak => {
  const remembered = remembering(resample);
  return async function* (text, rate, signal, language = usual) {
    if (synthesizer.stream !== undefined)
      return yield* atRate(rate, synthesizer.stream(text, language, signal), remembered);
    const { sampleRate, samples } = await synthesizer.synthesize(text, language, signal);
    return yield remembered(samples, sampleRate, rate);
  };
};
