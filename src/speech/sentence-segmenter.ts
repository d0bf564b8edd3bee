/**
 * Cuts audio into sentences, from shortly before the detected voice to the pause after it. Long sentences are cut into
 * adjacent parts.
 */
/** Queue of samples in one contiguous buffer that grows with its content. */
type SampleQueue = {
  length(): number;
  add(samples: Int16Array): void;
  /** Removes and returns the oldest samples. */
  take(count: number): Int16Array;
  /** Drops the oldest samples. A negative number drops none. */
  drop(count: number): void;
};

const leastRoom = 4_096;

export const createSampleQueue = (): SampleQueue => {
  let room = new Int16Array(leastRoom);
  let from = 0;
  let to = 0;

  const makeRoom = (count: number): void => {
    if (to + count <= room.length) return;
    const held = room.subarray(from, to);
    // Half of the buffer stays free, so that its content is rarely moved.
    const needed = Math.max(leastRoom, 2 * (held.length + count));
    if (needed > room.length) {
      room = new Int16Array(needed);
      room.set(held);
    } else room.copyWithin(0, from, to);
    to -= from;
    from = 0;
  };

  const drop = (count: number): void => {
    from = Math.min(to, from + Math.max(0, count));
  };

  return {
    length: () => to - from,
    add(samples) {
      makeRoom(samples.length);
      room.set(samples, to);
      to += samples.length;
    },
    take(count) {
      const samples = room.slice(from, Math.min(to, from + count));
      drop(count);
      return samples;
    },
    drop,
  };
};

/** A sentence. `endsAt` counts samples from the beginning of the audio. */
export type SpokenSentence = { samples: Int16Array; endsAt: number };

/** Lengths in samples. */
export type SentenceLengths = { preRoll: number; longest: number };

export type SentenceSegmenter = {
  /** Adds samples. Returns sentence parts of the maximum length. */
  write(samples: Int16Array): SpokenSentence[];
  speechBegan(): void;
  /** Ends the speech. Returns the sentence, or its last part. */
  speechEnded(): SpokenSentence[];
  /**
   * Returns the number of samples from the beginning of the audio that belong to no future sentence; `null` within a
   * sentence.
   */
  passed(): number | null;
  /** Drops an incomplete sentence. */
  clear(): void;
};

export const createSentenceSegmenter = ({ preRoll, longest }: SentenceLengths): SentenceSegmenter => {
  /** The current sentence, or audio that may become the beginning of one. */
  const recent = createSampleQueue();
  let isSpeech = false;
  let heard = 0;

  /** Takes the oldest samples as a sentence. */
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
