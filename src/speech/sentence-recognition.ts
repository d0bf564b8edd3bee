/** Recognition by engines for whole sentences. Requests are sequential, so that words arrive in order. */
import type { Recognition } from '#sip/audio/speech.ts';
import { createDeadline } from './deadline.ts';
import { EngineFailure } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';
import { type SpokenSentence, createSentenceSegmenter } from './sentence-segmenter.ts';
import { writeWav } from './write-wav.ts';

/** Queue of sentences that are recognized one after the other. */
type SentenceQueue = {
  /** Adds a sentence. Returns `false` if the queue is full and the sentence is dropped. */
  add(sentence: SpokenSentence): boolean;
  /** Whether a recognition is in progress. */
  isBusy(): boolean;
  clear(): void;
};

/**
 * Creates a queue in which at most `mostSamples` wait. After a failure the queue pauses until the next sentence is
 * added.
 */
export const createSentenceQueue = (
  mostSamples: number,
  recognize: (sentence: SpokenSentence) => Promise<void>,
  onFailed: (error: unknown) => void,
): SentenceQueue => {
  const waiting: SpokenSentence[] = [];
  let isBusy = false;

  const work = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await recognize(next);
    } catch (error) {
      onFailed(error);
    } finally {
      isBusy = false;
    }
  };

  return {
    add(sentence) {
      waiting.push(sentence);
      if (waiting.reduce((sum, { samples }) => sum + samples.length, 0) > mostSamples) {
        waiting.length = 0;
        return false;
      }
      void work();
      return true;
    },
    isBusy: () => isBusy,
    clear() {
      waiting.length = 0;
    },
  };
};

/** Transcribes a sentence. Rejects with an EngineFailure, or with the signal's reason. */
export type Transcribe = (wav: Buffer, language: string, signal: AbortSignal) => Promise<string>;

export const openSentenceRecognition = (
  { clock, limits }: EngineWorld,
  engine: { name: string; transcribe: Transcribe },
  { language, sampleRate }: ListenOptions,
  emit: (event: EngineEvent) => void,
): Recognition => {
  const samplesIn = (milliseconds: number): number => Math.round((milliseconds * sampleRate) / 1_000);
  const failure = (what: string): EngineFailure => new EngineFailure(`${engine.name} ${what}`);
  const deadline = createDeadline(clock);
  let isOver = false;

  const recognize = async ({ samples, endsAt }: SpokenSentence): Promise<void> => {
    // Each sentence has a signal of its own, because a shared one would collect listeners during a long call.
    const own = createDeadline(clock);
    own.set(limits.answerMs, failure('gave no answer in time'));
    const signal = AbortSignal.any([deadline.signal, own.signal]);
    try {
      const text = (await engine.transcribe(writeWav({ sampleRate, samples }), language, signal)).trim();
      if (isOver) return;
      if (text !== '') emit({ type: 'final', text });
      emit({ type: 'settled', samples: endsAt });
    } finally {
      own.stop();
    }
  };

  const segmenter = createSentenceSegmenter({
    preRoll: samplesIn(limits.preRollMs),
    longest: samplesIn(limits.longestSentenceMs),
  });
  const queue = createSentenceQueue(samplesIn(limits.longestWaitingMs), recognize, (error) => {
    if (isOver) return;
    end();
    emit({ type: 'failed', error: error instanceof Error ? error : failure('failed') });
  });

  const end = (): void => {
    isOver = true;
    deadline.stop();
    queue.clear();
    segmenter.clear();
  };

  const add = (sentences: readonly SpokenSentence[]): void => {
    for (const sentence of sentences)
      if (!queue.add(sentence)) deadline.set(0, failure('does not take sentences as fast as they are said'));
  };

  return {
    write(samples) {
      if (isOver) return;
      add(segmenter.write(samples));
      const passed = segmenter.passed();
      if (passed !== null && !queue.isBusy()) emit({ type: 'settled', samples: passed });
    },
    speechBegan: segmenter.speechBegan,
    speechEnded() {
      if (!isOver) add(segmenter.speechEnded());
    },
    close: end,
  };
};
