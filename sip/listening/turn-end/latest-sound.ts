/** Buffer of the last audio of a call, up to a length. */
export type LatestSound = {
  write(samples: Int16Array): void;
  /** Returns the last samples, at most this many. */
  last(count: number): Int16Array;
};

export const createLatestSound = (mostSamples: number): LatestSound => {
  const ring = new Int16Array(mostSamples);
  let written = 0;
  return {
    write(samples) {
      const kept = samples.subarray(Math.max(0, samples.length - mostSamples));
      const at = (written + samples.length - kept.length) % mostSamples;
      const head = kept.subarray(0, mostSamples - at);
      ring.set(head, at);
      ring.set(kept.subarray(head.length), 0);
      written += samples.length;
    },
    last(count) {
      const length = Math.max(0, Math.min(count, written, mostSamples));
      const result = new Int16Array(length);
      const from = (written - length) % mostSamples;
      const head = ring.subarray(from, Math.min(mostSamples, from + length));
      result.set(head);
      result.set(ring.subarray(0, length - head.length), head.length);
      return result;
    },
  };
};
