/**
 * One reply while its agent writes it: pieces go in, what the conversation hears of it comes out. Nothing follows its
 * end, and nothing at all follows once it was let go of.
 */
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyFailure } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { AgentFailure, sentenceEnd, type ReplyPiece } from './agent.ts';
import { startReplyTimers, type ReplyTimes } from './reply-timers.ts';
import type { Utterances } from './utterances.ts';

export type SpokenReply = {
  /** Aborted when the reply is over, with what it failed with. */
  signal: AbortSignal;
  isOver(): boolean;
  take(piece: ReplyPiece): void;
  /** The agent has no more to say. */
  finish(): void;
  fail(failure: ReplyFailure, detail?: string): void;
  letGo(): void;
};

export type SpokenReplyOptions = {
  utterances: Utterances;
  times: ReplyTimes;
  clock: Clock;
  emit: (event: ReplyEvent) => void;
  onFirstToken: () => void;
  onFirstSentence: () => void;
  /** Whose reply it is, for the log. */
  about: object;
  logger: Logger;
};

/** Said of a reply of emoji, code or thoughts alone. */
export const unspeakable = 'the reply has text, and none of it can be spoken';

export const createSpokenReply = (options: SpokenReplyOptions): SpokenReply => {
  const { utterances, emit, about, logger } = options;
  const abort = new AbortController();
  const seen = { text: false, speech: false, remark: false };
  /** Why the reply ended before it was complete. */
  let endsEarly: string | undefined;
  const timers = startReplyTimers(options.clock, options.times, {
    idle: () => say(utterances.pause()),
    late: (failure) => fail(failure),
  });

  const say = (texts: readonly string[]): void => {
    for (const text of texts) {
      if (abort.signal.aborted) return;
      if (!seen.speech) options.onFirstSentence();
      seen.speech = true;
      emit({ type: 'reply.sentence', text });
    }
  };

  const takeText = (text: string): void => {
    if (text.trim() !== '') {
      if (!seen.text) options.onFirstToken();
      seen.text = true;
      timers.wordCame();
    }
    timers.pieceCame();
    say(utterances.add(text));
  };

  const letGo = (reason?: AgentFailure): void => {
    timers.stop();
    abort.abort(reason);
  };

  const fail = (failure: ReplyFailure, detail?: string): void => {
    // The words that came before the failure are still worth hearing.
    say(utterances.end());
    if (abort.signal.aborted) return;
    // So that who watches the request can tell a server that is too slow from a reply that nobody wants.
    letGo(new AgentFailure(failure, detail ?? 'in vain'));
    logger.warn({ ...about, failure, detail }, 'a reply failed');
    emit({ type: 'reply.failed', failure, ...(detail === undefined ? {} : { detail }) });
  };

  return {
    signal: abort.signal,
    isOver: () => abort.signal.aborted,
    take(piece) {
      if (piece === sentenceEnd) say(utterances.sentenceEnd());
      else if (typeof piece === 'string') {
        if (piece !== '') takeText(piece);
      } else {
        seen.remark = true;
        if (piece.endsEarly === true) endsEarly = piece.remark;
        logger.info({ ...about, remark: piece.remark }, 'about a reply');
      }
    },
    finish() {
      if (endsEarly !== undefined && utterances.isTorn()) return fail('reply_cut_off', endsEarly);
      say(utterances.end());
      if (abort.signal.aborted) return;
      if (!seen.speech && seen.text) return fail('no_reply', unspeakable);
      letGo();
      if (!seen.speech && !seen.remark) logger.info(about, 'the agent chose silence');
      emit({ type: 'reply.finished' });
    },
    fail,
    letGo: () => letGo(),
  };
};
