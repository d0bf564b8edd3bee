import { Readable } from 'node:stream';
import type { Clock } from '#src/domain/clock.ts';

/**
 * A stream whose reader sets the pace: the next message is made when the one before it was taken. A reader that takes
 * nothing for so long is dropped. `onEnd` is called once, however the stream ends, also while a message is being made.
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

  // Readable.from would hold on to everything until the wait that goes on is over.
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
