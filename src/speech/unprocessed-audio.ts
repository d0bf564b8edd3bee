import type { Recognition } from '#sip/audio/speech.ts';

/** Unprocessed audio lies in `samples` between `from` and `to`; the rest is free. */
type Block = { samples: Int16Array; from: number; to: number };
type Entry = Block | 'began' | 'ended';

/** Audio that a recognizer received but has not processed, kept for the next recognizer. */
export type UnprocessedAudio = Pick<Recognition, 'speechBegan' | 'speechEnded'> & {
  /** Keeps a copy. Returns the number of samples dropped for it. */
  write(samples: Int16Array): number;
  /** Marks this many of all written samples as processed. */
  settle(samples: number): void;
  /** Returns the number of processed samples. */
  settled(): number;
  replay(recognition: Recognition): void;
};

/** Frames of 20 ms share buffers; separate ones would need twice the memory. */
const blockSamples = 2_000;

/** Drops the oldest audio beyond `mostSamples`. */
export const createUnprocessedAudio = (mostSamples: number): UnprocessedAudio => {
  const entries: Entry[] = [];
  let from = 0;
  let to = 0;
  /** Whether the audio begins with speech. */
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
      for (let at = 0; at < samples.length;) {
        const block = blockWithRoom();
        const part = samples.subarray(at, at + blockSamples - block.to);
        block.samples.set(part, block.to);
        block.to += part.length;
        at += part.length;
      }
      to += samples.length;
      const before = from;
      settle(to - mostSamples);
      return from - before;
    },
    speechBegan: () => void entries.push('began'),
    speechEnded: () => void entries.push('ended'),
    settle,
    settled: () => from,
    replay(recognition) {
      if (isSpeech) recognition.speechBegan();
      // A copy, because entries may be removed during iteration.
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
