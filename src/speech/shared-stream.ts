/** Audio that several readers need at the same time. */
import type { Audio } from '#sip/audio/speech.ts';
import { unlessAborted } from '#src/domain/unless-aborted.ts';

/** Reads the audio from its beginning. Rejects with the reason of the reader's own signal when aborted. */
export type ReadShared = (signal?: AbortSignal) => AsyncIterable<Audio>;

/**
 * Creates a stream that is read by several readers and produced once. When the last reader leaves before the end, the
 * signal of `source` is aborted. `onOver` is called when the source fails and when the last reader leaves: later readers
 * need another stream.
 */
export const sharedStream = (
  source: (signal: AbortSignal) => AsyncIterable<Audio>,
  onOver: () => void,
): ReadShared => {
  const abandoned = new AbortController();
  const iterator = source(abandoned.signal)[Symbol.asyncIterator]();
  /** The next piece is requested by the first reader that needs it. */
  const pieces: Promise<IteratorResult<Audio>>[] = [];
  let readers = 0;
  let isOver = false;

  const next = async (): Promise<IteratorResult<Audio>> => {
    try {
      const result = await iterator.next();
      isOver = result.done === true;
      return result;
    } catch (error) {
      isOver = true;
      onOver();
      throw error;
    }
  };

  const leave = (signal: AbortSignal | undefined): void => {
    readers -= 1;
    if (readers > 0) return;
    onOver();
    if (isOver) return;
    abandoned.abort(signal?.reason);
    // No reader is left to which an error of the end could be reported.
    void iterator.return?.().catch(() => {});
  };

  return async function* (signal) {
    readers += 1;
    try {
      for (let index = 0; ; index += 1) {
        const { done, value } = await unlessAborted((pieces[index] ??= next()), signal);
        if (done === true) return;
        yield value;
      }
    } finally {
      leave(signal);
    }
  };
};
