/**
 * Clock of the media thread. Between two beats the thread may doze: it sleeps without its event loop, so that datagrams
 * wait in their sockets and are read together right before the next beat. Waking up for each datagram would cost more
 * than handling it, and a sender would have to wake this thread each time. A message of the main thread ends the sleep.
 */
import { performance } from 'node:perf_hooks';
import type { BeatTime } from './pacer.ts';

/** Memory that both threads share: the number of messages that were posted to the media thread. */
export const postedMemory = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** Wakes the media thread. Must be called after a message was posted. Returns whether the thread was dozing. */
export const wakeThread = (posted: Int32Array): boolean => {
  Atomics.add(posted, 0, 1);
  return Atomics.notify(posted, 0) > 0;
};

/** `mayDoze`: whether nothing has to be read before the next callback. */
export const createDozingTime = (posted: Int32Array, mayDoze: () => boolean): BeatTime => ({
  now: () => performance.now(),
  after(milliseconds, callback) {
    const dueAt = performance.now() + milliseconds;
    let timer: NodeJS.Timeout | undefined;
    let immediate: NodeJS.Immediate | undefined;
    /** Number of posted messages that the next iteration of the event loop handles. */
    let handled = Atomics.load(posted, 0);

    /** Runs after the event loop has handled messages and datagrams. */
    const doze = (): void => {
      const restMs = dueAt - performance.now();
      if (restMs <= 0) return callback();
      if (!mayDoze()) {
        timer = setTimeout(callback, restMs);
        return undefined;
      }
      Atomics.wait(posted, 0, handled, restMs);
      handled = Atomics.load(posted, 0);
      immediate = setImmediate(doze);
      return undefined;
    };

    immediate = setImmediate(doze);
    return () => {
      clearImmediate(immediate);
      clearTimeout(timer);
    };
  },
});
