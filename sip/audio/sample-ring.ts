/**
 * Ring buffer for audio between two threads. One thread writes samples, the other reads them, both without blocking.
 * The writer may take back unread samples, and receives their exact number.
 *
 * Both sides move the read position by compare-and-exchange, so that a frame is either read or taken back.
 */

const headerInts = 2;
/** Header fields: number of samples read or taken back, and number of samples written, modulo 2³². */
const readAt = 0;
const writtenAt = 1;

/** Allocates a ring for this many samples, which must be a power of two. */
export const ringMemory = (capacity: number): SharedArrayBuffer => {
  if (!Number.isInteger(Math.log2(capacity)))
    throw new RangeError('The capacity of a ring is a power of two');
  return new SharedArrayBuffer(
    headerInts * Int32Array.BYTES_PER_ELEMENT + capacity * Int16Array.BYTES_PER_ELEMENT,
  );
};

export class SampleRing {
  readonly #header: Int32Array;
  readonly #samples: Int16Array;

  constructor(memory: SharedArrayBuffer) {
    this.#header = new Int32Array(memory, 0, headerInts);
    this.#samples = new Int16Array(memory, headerInts * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Number of samples that were written and neither read nor taken back. */
  get waiting(): number {
    return (Atomics.load(this.#header, writtenAt) - Atomics.load(this.#header, readAt)) | 0;
  }

  /** Number of samples that can be written now. */
  get room(): number {
    return this.#samples.length - this.waiting;
  }

  /** Writes as many samples as there is room for, and returns their number. Only the writer may call this. */
  write(samples: Int16Array): number {
    const count = Math.min(samples.length, this.room);
    const written = Atomics.load(this.#header, writtenAt);
    const from = written & (this.#samples.length - 1);
    const untilEnd = Math.min(count, this.#samples.length - from);
    this.#samples.set(samples.subarray(0, untilEnd), from);
    this.#samples.set(samples.subarray(untilEnd, count), 0);
    Atomics.store(this.#header, writtenAt, (written + count) | 0);
    return count;
  }

  /** Takes back all unread samples, and returns their number. Only the writer may call this. */
  takeBack(): number {
    for (;;) {
      const read = Atomics.load(this.#header, readAt);
      const written = Atomics.load(this.#header, writtenAt);
      if (Atomics.compareExchange(this.#header, readAt, read, written) === read) return (written - read) | 0;
    }
  }

  /** Fills the frame from its beginning, and returns the number of samples. Only the reader may call this. */
  read(frame: Int16Array): number {
    for (;;) {
      const read = Atomics.load(this.#header, readAt);
      const count = Math.min(frame.length, (Atomics.load(this.#header, writtenAt) - read) | 0);
      if (count === 0) return 0;
      const from = read & (this.#samples.length - 1);
      const untilEnd = Math.min(count, this.#samples.length - from);
      frame.set(this.#samples.subarray(from, from + untilEnd));
      frame.set(this.#samples.subarray(0, count - untilEnd), untilEnd);
      if (Atomics.compareExchange(this.#header, readAt, read, (read + count) | 0) === read) return count;
    }
  }
}
