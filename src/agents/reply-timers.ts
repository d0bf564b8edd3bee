import type { Clock } from '#src/domain/clock.ts';

export type ReplyTimes = {
  /** Until the first piece of text. */
  firstTokenMs: number;
  /** Until the end of the reply. */
  wholeReplyMs: number;
  /** Without a piece of text, until a sentence is spoken of which only the next character could tell that it is over. */
  idleFlushMs: number;
};

export type ReplyTimers = {
  /** A piece of text came, also one of nothing but space. */
  pieceCame(): void;
  /** A word came. */
  wordCame(): void;
  stop(): void;
};

/** They run from now on. */
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
