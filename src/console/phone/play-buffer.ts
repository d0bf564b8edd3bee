/**
 * Jitter buffer for the agent's voice, which bridges short network delays. The buffer counts all samples that it
 * returns, and can be flushed.
 */
const samplesPerMs = 16;
/** Playback starts when this much audio is buffered, or when a smaller amount has waited for this time. */
const firstMs = 60;
/** Time without audio after which the buffer fills again before it plays. */
const dryMs = 60;

export type PlayBuffer = {
  /** Appends samples. */
  add(samples: Int16Array): void;
  /** Returns the next samples, from -1 to 1; silence if the buffer is empty. */
  take(into: Float32Array): void;
  /** Discards buffered samples and returns their number. */
  flush(): number;
  /** Number of samples played since the beginning. */
  played(): number;
};

export const createPlayBuffer = (): PlayBuffer => {
  let waiting: Int16Array[] = [];
  let count = 0;
  let played = 0;
  let isPlaying = false;
  /** Number of samples for which the buffer has waited to start, or has been empty. */
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
