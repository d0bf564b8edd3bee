/** Queue of samples in one contiguous buffer that grows with its content. */
export type SampleQueue = {
  length(): number;
  add(samples: Int16Array): void;
  /** Removes and returns the oldest samples. */
  take(count: number): Int16Array;
  /** Drops the oldest samples; none for a negative number. */
  drop(count: number): void;
};

const leastRoom = 4_096;

export const createSampleQueue = (): SampleQueue => {
  let room = new Int16Array(leastRoom);
  let from = 0;
  let to = 0;

  const makeRoom = (count: number): void => {
    if (to + count <= room.length) return;
    const held = room.subarray(from, to);
    // Half of the buffer stays free, so that content is rarely moved.
    const needed = Math.max(leastRoom, 2 * (held.length + count));
    if (needed > room.length) {
      room = new Int16Array(needed);
      room.set(held);
    } else room.copyWithin(0, from, to);
    to -= from;
    from = 0;
  };

  const drop = (count: number): void => {
    from = Math.min(to, from + Math.max(0, count));
  };

  return {
    length: () => to - from,
    add(samples) {
      makeRoom(samples.length);
      room.set(samples, to);
      to += samples.length;
    },
    take(count) {
      const samples = room.slice(from, Math.min(to, from + count));
      drop(count);
      return samples;
    },
    drop,
  };
};
