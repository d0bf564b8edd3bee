/**
 * The end of a reply that carries an end marker (`finish_reason`, Mastra's `finish`). The server may leave the
 * connection open after it or send keep-alive comments: the connection is closed after a short time without frames.
 */
import type { Clock } from '#src/domain/clock.ts';

export type MessageEnd = {
  /** Signal for the request. */
  signal: AbortSignal;
  /** Called at the end marker and with each frame after it: the time runs from the last one. */
  over(): void;
  /** The body, which ends if the connection is closed for that reason. */
  until(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined>;
};

/** Milliseconds without a frame; usage statistics follow a message immediately. */
export const lingerMs = 1_500;

export const createMessageEnd = (clock: Clock, signal: AbortSignal): MessageEnd => {
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
          // Bytes outside of frames, such as comments, do not extend it.
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
