import type { Recognition } from '#sip/speech.ts';

type Entry = Int16Array | 'began' | 'ended';

/** What a recognizer was given and has not dealt with yet, so that another one can be given it again. */
export type UnsettledSound = Pick<Recognition, 'write' | 'speechBegan' | 'speechEnded'> & {
  /** So many samples of all that was written are dealt with. */
  settle(samples: number): void;
  /** How many are. */
  settled(): number;
  replay(recognition: Recognition): void;
};

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
      else if (from + entry.length <= until) {
        from += entry.length;
        entries.shift();
      } else {
        entries[0] = entry.subarray(until - from);
        from = until;
      }
    }
  };

  return {
    write(samples) {
      entries.push(samples);
      to += samples.length;
      settle(to - mostSamples);
    },
    speechBegan: () => void entries.push('began'),
    speechEnded: () => void entries.push('ended'),
    settle,
    settled: () => from,
    replay(recognition) {
      if (isSpeech) recognition.speechBegan();
      // A copy: while it is written, some of it may be settled already.
      for (const entry of entries.slice()) {
        if (entry === 'began') recognition.speechBegan();
        else if (entry === 'ended') recognition.speechEnded();
        else recognition.write(entry);
      }
    },
  };
};
