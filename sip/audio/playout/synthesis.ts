/**
 * Synthesizes utterances at the sample rate of the call, streamed where the engine streams. The engine starts when an
 * utterance is queued.
 */
import type { Logger } from 'pino';
import { createRateChange, type RateChange, type Resample } from '../resampler.ts';
import type { SampleRate } from '../samples.ts';
import type { Audio, Synthesizer } from '../speech.ts';

/**
 * Synthesizes a sentence at this sample rate; `language` (BCP 47) if it differs from the call's first language. Pieces
 * can be played as they arrive.
 */
export type Speak = (
  text: string,
  sampleRate: SampleRate,
  signal: AbortSignal,
  language?: string,
) => AsyncIterable<Int16Array>;

/** Resampled audio by its source: cached sentences are the same samples in every call. */
const known = new WeakMap<Int16Array, Map<number, Int16Array>>();

/** A WeakMap keeps resampled audio as long as its source exists. */
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

/** An utterance in synthesis. */
export type Utterance = {
  readonly utterance: number;
  readonly text: string;
  /** Synthesized pieces that were not taken yet. */
  readonly pieces: Int16Array[];
  /** State of the synthesis. `broken off`: the engine failed before the end. */
  state: 'coming' | 'whole' | 'broken off';
  /** Stops synthesis; `onMore` is not called again. */
  abort(): void;
};

export const synthesizeUtterance = (options: {
  utterance: number;
  text: string;
  language: string | undefined;
  speak: Speak;
  sampleRate: SampleRate;
  /** Called in a later task when pieces were added or synthesis is complete. */
  onMore: (utterance: Utterance) => void;
  logger: Logger;
}): Utterance => {
  const { utterance, text, language, speak, sampleRate, onMore, logger } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const made: Utterance = {
    utterance,
    text,
    pieces: [],
    state: 'coming',
    abort() {
      // A complete utterance has nothing to abort, and each abort creates an error with a stack trace.
      if (made.state === 'coming') controller.abort();
    },
  };

  const make = async (): Promise<void> => {
    for await (const piece of speak(text, sampleRate, signal, language)) {
      if (signal.aborted) return;
      made.pieces.push(piece);
      onMore(made);
    }
  };

  const outcome = async (): Promise<'whole' | 'broken off'> => {
    try {
      // The await lets an empty text complete in a later task, like any other.
      await (text.trim() === '' ? undefined : make());
      return 'whole';
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, utterance }, 'an utterance could not be synthesized');
      return 'broken off';
    }
  };

  const run = async (): Promise<void> => {
    const state = await outcome();
    if (signal.aborted) return;
    made.state = state;
    onMore(made);
  };

  void run();
  return made;
};
