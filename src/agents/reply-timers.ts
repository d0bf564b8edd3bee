import type { Clock } from '#src/domain/clock.ts';

export type ReplyTimes = {
  /** Timeout for the first piece of text. */
  firstTokenMs: number;
  /** Timeout for the end of the reply. */
  wholeReplyMs: number;
  /**
   * Time without a piece of text after which a sentence is spoken, although only the next character could prove that it
   * is complete.
   */
  idleFlushMs: number;
};

export type ReplyTimers = {
  /** Called when a piece of text arrived, even if the piece is white space. */
  pieceCame(): void;
  /** Called when a word arrived. */
  wordCame(): void;
  stop(): void;
};

/** Starts the timers. */
export const startReplyTimers = (
  clock: Clock,
  times: ReplyTimes,
  on: { idle: () => void; late: (failure: 'first_token_timeout' | 'reply_timeout') => void },
): ReplyTimers => {
  const firstToken = clock.setTimeout(() => on.late('first_token_timeout'), times.firstTokenMs);
  const wholeReply = clock.setTimeout(() => on.late('reply_timeout'), times.wholeReplyMs);
  let idle: unknown;
  return {
    pieceCame() {
      clock.clearTimeout(idle);
      idle = clock.setTimeout(on.idle, times.idleFlushMs);
    },
    wordCame: () => clock.clearTimeout(firstToken),
    stop() {
      for (const timer of [firstToken, wholeReply, idle]) clock.clearTimeout(timer);
    },
  };
};
