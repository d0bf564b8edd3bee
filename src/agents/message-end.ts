/**
 * The end of a reply that says by itself where it ends (`finish_reason`, Mastra's `finish`). Its server may leave the
 * connection open behind it, or keep it alive with comments: it is closed when nothing more has come for a moment.
 */
import type { Clock } from '#src/domain/clock.ts';

export type MessageEnd = {
  /** For the request. */
  signal: AbortSignal;
  /** The end has come. Again with each frame behind it: the time runs from the last one. */
  over(): void;
  /** The body, which ends when the connection is closed for that reason. */
  until(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
};

/** Milliseconds without a frame; figures of its usage follow a message at once. */
export const lingerMs = 1_500;

export const createMessageEnd = (
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
  signal: AbortSignal,
): MessageEnd => {
  const closing = new AbortController();
  let isOver = false;
  let timer: unknown;

  const stop = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };

  return {
    signal: AbortSignal.any([signal, closing.signal]),
    over() {
      isOver = true;
      stop();
    },
    async *until(body) {
      try {
        for await (const bytes of body) {
          yield bytes;
          // Bytes that are no frame, such as comments, do not put it off.
          if (isOver) timer ??= clock.setTimeout(() => closing.abort(), lingerMs);
        }
      } catch (error) {
        if (signal.aborted || !closing.signal.aborted) throw error;
      } finally {
        stop();
      }
    },
  };
};
