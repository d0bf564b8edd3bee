/** Sound in messages of equal length, however it comes: what does not fill one waits for more. */
import { joinSamples } from '#src/domain/samples.ts';

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
  let rest: Int16Array = new Int16Array();
  let taken = 0;
  return {
    write(samples) {
      rest = joinSamples([rest, samples]);
    },
    take() {
      const messages: Int16Array[] = [];
      let at = 0;
      for (; at + messageSamples <= rest.length; at += messageSamples)
        messages.push(rest.subarray(at, at + messageSamples));
      rest = rest.slice(at);
      taken += at;
      return messages;
    },
    waiting: () => rest.length,
    taken: () => taken,
    clear() {
      rest = new Int16Array();
    },
  };
};
