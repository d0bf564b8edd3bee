/**
 * The end of a reply that has an end marker (`finish_reason`, Mastra's `finish`). After the marker, the server may
 * leave the connection open or send keep-alive comments, so the connection is closed after a short time without frames.
 */
import type { Clock } from '#src/domain/clock.ts';

export type MessageEnd = {
  /** Signal for the request. */
  signal: AbortSignal;
  /** Called at the end marker and with each frame after it. The time limit starts again each time. */
  over(): void;
  /** Passes on the body, which ends when the connection is closed because of the time limit. */
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
          // Bytes outside of frames, such as comments, do not extend the time limit.
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
