/**
 * The agent's voice between its arrival and the speaker: a little of it is kept, so that a network that is late for a
 * moment makes no hole. It counts every sample that it has given away, and can be emptied at once.
 */
const samplesPerMs = 16;
/** So much waits before it begins to play, or for so long what there is has waited. */
const firstMs = 60;
/** When nothing has come for so long, it begins anew. */
const dryMs = 60;

export type PlayBuffer = {
  /** To be played behind what was added before. */
  add(samples: Int16Array): void;
  /** The next samples, from -1 to 1; silence where there are none. */
  take(into: Float32Array): void;
  /** Forgets what was not played, and says how many samples that were. */
  flush(): number;
  /** How many samples were played, since the beginning. */
  played(): number;
};

export const createPlayBuffer = (): PlayBuffer => {
  let waiting: Int16Array[] = [];
  let count = 0;
  let played = 0;
  let isPlaying = false;
  /** For how long it waits to begin, or has had nothing to play, in samples. */
  let idle = 0;

  const mayPlay = (length: number): boolean => {
    idle = count > 0 === isPlaying ? 0 : idle + length;
    if (isPlaying) isPlaying = idle <= dryMs * samplesPerMs;
    else isPlaying = count >= firstMs * samplesPerMs || idle >= firstMs * samplesPerMs;
    return isPlaying;
  };

  return {
    add(samples) {
      waiting.push(samples);
      count += samples.length;
    },
    take(into) {
      into.fill(0);
      if (!mayPlay(into.length)) return;
      let at = 0;
      for (let next = waiting[0]; next !== undefined && at < into.length; next = waiting[0]) {
        const taken = Math.min(next.length, into.length - at);
        for (let index = 0; index < taken; index += 1) into[at + index] = (next[index] ?? 0) / 32_768;
        at += taken;
        if (taken === next.length) waiting.shift();
        else waiting[0] = next.subarray(taken);
      }
      count -= at;
      played += at;
    },
    flush() {
      const flushed = count;
      waiting = [];
      count = 0;
      return flushed;
    },
    played: () => played,
  };
};
