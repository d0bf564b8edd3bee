import type { Recognition } from '#sip/speech.ts';

/** Sound that is not dealt with lies in `samples` from `from` to `to`; behind it there may be room. */
type Block = { samples: Int16Array; from: number; to: number };
type Entry = Block | 'began' | 'ended';

/** Sound that a recognizer was given and has not dealt with yet, so that another one can be given it again. */
export type UnsettledSound = Pick<Recognition, 'speechBegan' | 'speechEnded'> & {
  /** Keeps a copy. Returns how many samples were given up for it. */
  write(samples: Int16Array): number;
  /** So many samples of all that was written are dealt with. */
  settle(samples: number): void;
  /** How many are. */
  settled(): number;
  replay(recognition: Recognition): void;
};

/** Frames of 20 ms lie together: each in memory of its own would take twice as much. */
const blockSamples = 2_000;

/** The oldest sound is given up when there are more than `mostSamples`. */
export const createUnsettledSound = (mostSamples: number): UnsettledSound => {
  const entries: Entry[] = [];
  let from = 0;
  let to = 0;
  /** Whether somebody speaks where it begins. */
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
      // A copy, because entries may be settled while they are written.
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
