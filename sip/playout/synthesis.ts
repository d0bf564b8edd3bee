/** The agent's voice as the call carries it: at its rate, piece by piece where the engine gives it so. */
import { createRateChange, type RateChange } from '../rate-change.ts';
import type { Resample } from '../resampler.ts';
import type { SampleRate } from '../samples.ts';
import type { Audio, Synthesizer } from '../speech.ts';

/**
 * Speaks a sentence at this rate, in this language (BCP 47) where it is not the one that the call began with; what comes is
 * to be played as it comes.
 */
export type Speak = (
  text: string,
  sampleRate: SampleRate,
  signal: AbortSignal,
  language?: string,
) => AsyncIterable<Int16Array>;

/** Sentences that an engine remembers come as the same samples again, call after call. */
const known = new WeakMap<Int16Array, Map<number, Int16Array>>();

/** Of each sound what came of it is kept as long as the sound is. */
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
