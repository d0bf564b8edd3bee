/**
 * One reply while its agent writes it: pieces go in, what the conversation hears of it comes out. Nothing follows its
 * end, and nothing at all follows once it was let go of.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyFailure } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { AgentFailure, retraction, sentenceEnd, type ReplyPiece } from './agent.ts';
import { readListedControls, silence } from './controls/read-control.ts';
import { wantsTool } from './model-marks.ts';
import { startReplyTimers, type ReplyTimes } from './reply-timers.ts';
import type { ReplyPart, Utterances } from './utterances.ts';

export type SpokenReply = {
  /** Aborted when the reply is over, with what it failed with. */
  signal: AbortSignal;
  isOver(): boolean;
  /** Resolves when the conversation has heard of all that is in the piece. */
  take(piece: ReplyPiece): Promise<void>;
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
  /** Whether controls that an answer lists are controls. */
  readsControls: boolean;
  /** A control that is wrong, or the call of a tool, is left out; safe to log. */
  onLeftOut: (why: string) => void;
  /** Whose reply it is, for the log. */
  about: object;
  logger: Logger;
};

/** Said of a reply of emoji, code or thoughts alone. */
export const unspeakable = 'the reply has text, and none of it can be spoken';

/** Gives the conversation what becomes of a reply, and remembers what kinds of things that were. */
const createGiving = (
  options: Pick<SpokenReplyOptions, 'emit' | 'onFirstSentence' | 'onLeftOut' | 'about' | 'logger'>,
) => {
  const given = { speech: false, control: false, remark: false };

  const noteRemark = (remark: string): void => {
    given.remark = true;
    options.logger.info({ ...options.about, remark }, 'about a reply');
  };

  const leaveOut = (why: string): void => {
    noteRemark(why);
    options.onLeftOut(why);
  };

  return {
    given,
    noteRemark,
    leaveOut,
    give(utterance: ReplyPart): void {
      if (typeof utterance === 'string') {
        if (!given.speech) options.onFirstSentence();
        given.speech = true;
        options.emit({ type: 'reply.sentence', text: utterance });
      } else if (utterance === silence) given.control = true;
      else if ('leftOut' in utterance) leaveOut(utterance.leftOut);
      else {
        given.control = true;
        options.emit({ type: 'reply.control', control: utterance });
      }
    },
  };
};

export const createSpokenReply = (options: SpokenReplyOptions): SpokenReply => {
  const { utterances, emit, about, logger } = options;
  const abort = new AbortController();
  const { give, given, leaveOut, noteRemark } = createGiving(options);
  /** Whether it has words, whether they can be spoken or not. */
  let hasText = false;
  /** Why the reply ended before it was complete. */
  let endsEarly: string | undefined;
  const timers = startReplyTimers(options.clock, options.times, {
    idle: () => say(utterances.pause()),
    late: (failure) => fail(failure),
  });

  const say = (utterances: readonly ReplyPart[]): void => {
    for (const utterance of utterances) {
      if (abort.signal.aborted) return;
      give(utterance);
    }
  };

  /** In steps: what comes in one piece may be sentences by the thousand. */
  const takeText = async (text: string): Promise<void> => {
    if (text.trim() !== '') {
      if (!hasText) options.onFirstToken();
      hasText = true;
      timers.wordCame();
    }
    timers.pieceCame();
    let isFirst = true;
    for (const parts of utterances.addInSteps(text)) {
      if (!isFirst) await setImmediate();
      isFirst = false;
      say(parts);
      if (abort.signal.aborted) return;
    }
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
    async take(piece) {
      if (piece === sentenceEnd) say(utterances.sentenceEnd());
      else if (piece === retraction) utterances.retract();
      else if (typeof piece === 'string') {
        if (piece !== '') await takeText(piece);
      } else if ('controls' in piece) {
        if (options.readsControls) say([...utterances.sentenceEnd(), ...readListedControls(piece.controls)]);
      } else if ('control' in piece) say([...utterances.sentenceEnd(), piece.control]);
      else {
        noteRemark(piece.remark);
        if (piece.endsEarly === true) endsEarly = piece.remark;
      }
    },
    finish() {
      if (endsEarly !== undefined && utterances.isTorn()) return fail('reply_cut_off', endsEarly);
      say(utterances.end());
      if (abort.signal.aborted) return;
      const isSilence = !given.speech && !given.control;
      if (isSilence && hasText) return fail('no_reply', utterances.wroteCall() ? wantsTool : unspeakable);
      if (utterances.wroteCall()) leaveOut(wantsTool);
      letGo();
      if (isSilence && !given.remark) logger.info(about, 'the agent chose silence');
      emit({ type: 'reply.finished' });
    },
    fail,
    letGo: () => letGo(),
  };
};
