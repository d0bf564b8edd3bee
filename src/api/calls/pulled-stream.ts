import { Readable } from 'node:stream';
import type { Clock } from '#src/domain/clock.ts';

/**
 * A stream with backpressure: the next message is created when the previous one was taken. A stalled reader is dropped.
 * `onEnd` is called once, however the stream ends, even while a message is being created.
 */
export const createPulledStream = (
  messages: AsyncIterator<string>,
  { clock, slowReaderMs, onEnd }: { clock: Clock; slowReaderMs: number; onEnd: () => void },
): Readable => {
  let slowness: unknown;

  const pull = async (stream: Readable): Promise<void> => {
    const { done, value } = await messages.next();
    if (stream.destroyed) return;
    slowness = clock.setTimeout(() => stream.destroy(), slowReaderMs);
    stream.push(done === true ? null : value);
  };

  // Readable.from would retain all resources until its pending wait ends.
  return new Readable({
    read() {
      clock.clearTimeout(slowness);
      pull(this).catch((error: unknown) =>
        this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, callback) {
      clock.clearTimeout(slowness);
      onEnd();
      callback(error);
    },
  });
};
