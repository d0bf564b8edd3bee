import type { Recognition } from '#sip/audio/speech.ts';

/** A block of samples. Unprocessed audio is between `from` and `to`; the rest of the block is free. */
type Block = { samples: Int16Array; from: number; to: number };
type Entry = Block | 'began' | 'ended';

/** Audio that a recognizer received but has not processed, stored for the next recognizer. */
export type UnprocessedAudio = Pick<Recognition, 'speechBegan' | 'speechEnded'> & {
  /**
   * Stores a copy of the samples. Returns the copy, in parts whose memory the recognizer may share, and the number of
   * samples that were dropped to make room.
   */
  write(samples: Int16Array): { copy: readonly Int16Array[]; dropped: number };
  /** Marks this many of all written samples as processed. */
  settle(samples: number): void;
  /** Returns the number of processed samples. */
  settled(): number;
  replay(recognition: Recognition): void;
};

/** Number of samples in a block. Frames of 20 ms share blocks, because separate buffers would need twice the memory. */
const blockSamples = 2_000;

/** Creates the storage. The oldest audio beyond `mostSamples` is dropped. */
export const createUnprocessedAudio = (mostSamples: number): UnprocessedAudio => {
  const entries: Entry[] = [];
  let from = 0;
  let to = 0;
  /** Whether the stored audio begins with speech. */
  let isSpeech = false;

  const settle = (until: number): void => {
    for (let [entry] = entries; entry !== undefined; [entry] = entries) {
      if (entry === 'ended' || (entry === 'began' && from < until)) {
        isSpeech = entry === 'began';
        entries.shift();
      } else if (entry === 'began' || from >= until) return;
      else if (from + entry.to - entry.from <= until) {
        from += entry.to - entry.from;
        entries.shift();
      } else {
        entry.from += until - from;
        from = until;
      }
    }
  };

  const blockWithRoom = (): Block => {
    const last = entries.at(-1);
    if (typeof last === 'object' && last.to < blockSamples) return last;
    const fresh = { samples: new Int16Array(blockSamples), from: 0, to: 0 };
    entries.push(fresh);
    return fresh;
  };

  return {
    write(samples) {
      const copy: Int16Array[] = [];
      for (let at = 0; at < samples.length;) {
        const block = blockWithRoom();
        const part = samples.subarray(at, at + blockSamples - block.to);
        block.samples.set(part, block.to);
        copy.push(block.samples.subarray(block.to, block.to + part.length));
        block.to += part.length;
        at += part.length;
      }
      to += samples.length;
      const before = from;
      settle(to - mostSamples);
      return { copy, dropped: from - before };
    },
    speechBegan: () => void entries.push('began'),
    speechEnded: () => void entries.push('ended'),
    settle,
    settled: () => from,
    replay(recognition) {
      if (isSpeech) recognition.speechBegan();
      // The entries are copied, because entries may be removed during the iteration.
      const now = entries.map((entry) =>
        typeof entry === 'string' ? entry : entry.samples.subarray(entry.from, entry.to),
      );
      for (const entry of now) {
        if (entry === 'began') recognition.speechBegan();
        else if (entry === 'ended') recognition.speechEnded();
        else recognition.write(entry);
      }
    },
  };
};
