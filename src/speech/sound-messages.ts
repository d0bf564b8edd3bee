/** Sound in messages of equal length, however it comes: what does not fill one waits for more. */
export type SoundMessages = {
  write(samples: Int16Array): void;
  /** Those that are full now. */
  take(): Int16Array[];
  /** Samples that were not taken. */
  waiting(): number;
  /** Samples that were taken since the beginning. */
  taken(): number;
  /** Gives up what waits. */
  clear(): void;
};

export const createSoundMessages = (messageSamples: number): SoundMessages => {
  const full: Int16Array[] = [];
  let last = new Int16Array(messageSamples);
  let filled = 0;
  let taken = 0;
  return {
    write(samples) {
      for (let at = 0; at < samples.length;) {
        const part = samples.subarray(at, at + messageSamples - filled);
        last.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < messageSamples) return;
        full.push(last);
        last = new Int16Array(messageSamples);
        filled = 0;
      }
    },
    take() {
      taken += full.length * messageSamples;
      return full.splice(0);
    },
    waiting: () => full.length * messageSamples + filled,
    taken: () => taken,
    clear() {
      full.length = 0;
      filled = 0;
    },
  };
};
