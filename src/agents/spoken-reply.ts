/**
 * One streamed reply: accepts the agent's pieces and emits events to the conversation. Emits no event after the end, or
 * after the release.
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
  /** Aborted at the end of the reply, with its failure as the reason. */
  signal: AbortSignal;
  isOver(): boolean;
  /** Resolves when all events of the piece were emitted. */
  take(piece: ReplyPiece): Promise<void>;
  /** The agent has finished. */
  finish(): void;
  fail(failure: ReplyFailure, detail?: string): void;
  cancel(): void;
};

export type SpokenReplyOptions = {
  utterances: Utterances;
  times: ReplyTimes;
  clock: Clock;
  emit: (event: ReplyEvent) => void;
  onFirstToken: () => void;
  onFirstSentence: () => void;
  /** Whether controls listed in an answer count as controls. */
  readsControls: boolean;
  /** An invalid control or a tool call was left out; safe to log. */
  onLeftOut: (why: string) => void;
  /** The agent of the reply, for the log. */
  about: object;
  logger: Logger;
};

/** Failure detail of a reply that consists of emoji, code or thoughts. */
export const unspeakable = 'the reply has text, and none of it can be spoken';

/** Emits the events of a reply and records which kinds occurred. */
const createGiving = (
  options: Pick<SpokenReplyOptions, 'emit' | 'onFirstSentence' | 'onLeftOut' | 'about' | 'logger'>,
) => {
  const given = { speech: false, control: false, remark: false };

  const noteRemark = (remark: string): void => {
    given.remark = true;
    options.logger.info({ ...options.about, remark }, 'remark on a reply');
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
  /** Whether the reply has words, speakable or not. */
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

  /** Works in steps: one piece may contain thousands of sentences. */
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

  const cancel = (reason?: AgentFailure): void => {
    timers.stop();
    abort.abort(reason);
  };

  const fail = (failure: ReplyFailure, detail?: string): void => {
    // Words before the failure are still spoken.
    say(utterances.end());
    if (abort.signal.aborted) return;
    // Lets observers of the request distinguish a slow server from an aborted reply.
    cancel(new AgentFailure(failure, detail ?? 'in vain'));
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
      cancel();
      if (isSilence && !given.remark) logger.info(about, 'the agent chose silence');
      emit({ type: 'reply.finished' });
    },
    fail,
    cancel: () => cancel(),
  };
};
