/** Splits audio into messages of equal length; a remainder waits for more. */
export type SoundMessages = {
  /** Audio written before `start` is not copied and must not be changed. */
  write(samples: Int16Array): void;
  /** Sends each full message from now on, beginning with earlier audio. */
  begin(): void;
  /** Number of samples not sent yet. */
  waiting(): number;
  /** Number of samples sent. */
  sent(): number;
  /** Drops the waiting audio. */
  clear(): void;
};

/** `send` must finish with a message before it returns: the buffer is reused. */
export const createSoundMessages = (
  messageSamples: number,
  send: (message: Int16Array) => void,
): SoundMessages => {
  const message = new Int16Array(messageSamples);
  let filled = 0;
  let sent = 0;
  /** Audio written before the start; `null` afterwards. */
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
