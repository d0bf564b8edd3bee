/** Sound in messages of equal length, however it comes: what does not fill one waits for more. */
export type SoundMessages = {
  /** What is written while nothing is sent yet is not copied: it must not be changed. */
  write(samples: Int16Array): void;
  /** From now on each message is sent as soon as it is full, what was written before first. */
  begin(): void;
  /** Samples that were not sent. */
  waiting(): number;
  /** Samples that were sent since the beginning. */
  sent(): number;
  /** Gives up what waits. */
  clear(): void;
};

/** `send` must be done with a message when it returns: the next one is made in the same memory. */
export const createSoundMessages = (
  messageSamples: number,
  send: (message: Int16Array) => void,
): SoundMessages => {
  const message = new Int16Array(messageSamples);
  let filled = 0;
  let sent = 0;
  /** What was written before the beginning; `null` since. */
  let early: Int16Array[] | null = [];

  const fill = (samples: Int16Array): void => {
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + messageSamples - filled);
      message.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < messageSamples) return;
      filled = 0;
      sent += messageSamples;
      send(message);
    }
  };

  return {
    write(samples) {
      if (early === null) fill(samples);
      else early.push(samples);
    },
    begin() {
      const before = early ?? [];
      early = null;
      for (const samples of before) fill(samples);
    },
    waiting: () => (early ?? []).reduce((sum, { length }) => sum + length, filled),
    sent: () => sent,
    clear() {
      if (early !== null) early = [];
      filled = 0;
    },
  };
};
