/**
 * Cuts sound into sentences: each goes from a moment before its voice was noticed to the pause behind it. What is too
 * long is cut into parts without a gap between them.
 */
import { createSampleQueue } from './sample-queue.ts';

/** `endsAt` counts the samples from the beginning of all sound. */
export type SpokenSentence = { samples: Int16Array; endsAt: number };

/** In samples. */
export type SentenceLengths = { preRoll: number; longest: number };

export type SentenceSegmenter = {
  /** Gives the parts of a sentence that are as long as one may be. */
  write(samples: Int16Array): SpokenSentence[];
  speechBegan(): void;
  /** Gives the sentence, or its last part. */
  speechEnded(): SpokenSentence[];
  /** Samples from the beginning of all sound that belong to no sentence any more; `null` within a sentence. */
  passed(): number | null;
  /** Gives up what is not a whole sentence yet. */
  clear(): void;
};

export const createSentenceSegmenter = ({ preRoll, longest }: SentenceLengths): SentenceSegmenter => {
  /** The sentence that goes on, or else what may become its beginning. */
  const recent = createSampleQueue();
  let isSpeech = false;
  let heard = 0;

  /** Takes the oldest samples for a sentence. */
  const cut = (length: number): SpokenSentence => {
    const samples = recent.take(length);
    return { samples, endsAt: heard - recent.length() };
  };

  return {
    write(samples) {
      heard += samples.length;
      recent.add(samples);
      const sentences: SpokenSentence[] = [];
      if (isSpeech) while (recent.length() >= longest) sentences.push(cut(longest));
      else recent.drop(recent.length() - preRoll);
      return sentences;
    },
    speechBegan() {
      isSpeech = true;
    },
    speechEnded() {
      const wasSpeech = isSpeech;
      isSpeech = false;
      return wasSpeech && recent.length() > 0 ? [cut(recent.length())] : [];
    },
    passed: () => (isSpeech ? null : heard - recent.length()),
    clear() {
      recent.drop(recent.length());
    },
  };
};
