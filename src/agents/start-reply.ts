/**
 * One reply of a call's agent, as the conversation hears of it: sentence by sentence, then finished or failed. Nothing
 * follows the last word, and nothing at all follows once it was let go of. A reply of which nothing can be spoken has
 * failed, and so has one that its server ended within a sentence; one whose agent chose silence leaves a line in the log.
 */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyFailure, ReplyInput } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { AgentFailure, sentenceEnd, type Agent, type ReplyPiece } from './agent.ts';
import { createUtterances } from './utterances.ts';

export type ReplyTimes = {
  /** Until the first piece of text. */
  firstTokenMs: number;
  /** Until the end of the reply. */
  wholeReplyMs: number;
  /** Without a piece of text, until a sentence is spoken of which only the next character could tell that it is over. */
  idleFlushMs: number;
};

/** Is told when a reply was asked for, and when the first of it came. */
export type ReplyWatch = {
  asked(callId: string): void;
  firstToken(callId: string): void;
  firstSentence(callId: string): void;
};

export type ReplyOptions = {
  findAgent: (callId: string) => Agent | undefined;
  times: ReplyTimes;
  /** The system's clock, also where calls run accelerated: agents are real servers and take their real time. */
  clock: Clock;
  watch?: ReplyWatch;
  logger: Logger;
};

/** Asks for the reply; the returned function lets go of it and aborts what is behind it. Both are safe at any time. */
export type StartReply = (input: ReplyInput, emit: (event: ReplyEvent) => void) => () => void;

/** Said of a reply of emoji, code or thoughts alone. */
export const unspeakable = 'the reply has text, and none of it can be spoken';

/** Where an error came from. Its message is left out: that of a parser, for one, quotes what was said. */
const origin = (error: unknown): { error: string; at: string[] } =>
  error instanceof Error
    ? { error: error.name, at: (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) }
    : { error: typeof error, at: [] };

const isExpected = (error: unknown): error is AgentFailure | EndpointFailure =>
  error instanceof AgentFailure || error instanceof EndpointFailure;

/** Code units of a reply that are taken at once: what comes in one piece may be sentences by the thousand. */
const mostAtOnce = 1_024;

function* partsOf(piece: ReplyPiece): Generator<ReplyPiece, void, undefined> {
  if (typeof piece !== 'string' || piece.length <= mostAtOnce) yield piece;
  else for (let at = 0; at < piece.length; at += mostAtOnce) yield piece.slice(at, at + mostAtOnce);
}

export const createStartReply = ({ findAgent, times, clock, watch, logger }: ReplyOptions): StartReply => {
  /** Agents whose thoughts only end with a mark; with their next reply it is waited for. */
  const thinkers = new WeakSet<Agent>();

  return ({ callId, turn, messages }, emit) => {
    const about = { call_id: callId, turn };
    const abort = new AbortController();
    const agent = findAgent(callId);
    const utterances = createUtterances({ thinksAloud: agent !== undefined && thinkers.has(agent) });
    let isOver = false;
    const seen = { text: false, speech: false, remark: false };
    /** Why the reply ended before it was complete. */
    let endsEarly: string | undefined;
    let idle: unknown;

    const say = (texts: readonly string[]): void => {
      for (const text of texts) {
        if (isOver) return;
        if (!seen.speech) watch?.firstSentence(callId);
        seen.speech = true;
        emit({ type: 'reply.sentence', text });
      }
    };

    const take = (piece: ReplyPiece): void => {
      if (piece === sentenceEnd) return say(utterances.sentenceEnd());
      if (typeof piece === 'object') {
        seen.remark = true;
        if (piece.endsEarly === true) endsEarly = piece.remark;
        return logger.info({ ...about, remark: piece.remark }, 'about a reply');
      }
      if (piece === '') return;
      if (piece.trim() !== '') {
        if (!seen.text) watch?.firstToken(callId);
        seen.text = true;
        clock.clearTimeout(firstToken);
      }
      clock.clearTimeout(idle);
      idle = clock.setTimeout(() => say(utterances.pause()), times.idleFlushMs);
      say(utterances.add(piece));
      if (agent !== undefined && utterances.thoughtAloud()) thinkers.add(agent);
    };

    const letGo = (reason?: AgentFailure): void => {
      isOver = true;
      for (const timer of [firstToken, wholeReply, idle]) clock.clearTimeout(timer);
      abort.abort(reason);
    };

    const fail = (failure: ReplyFailure, detail?: string): void => {
      // What came before the failure is worth hearing.
      say(utterances.end());
      if (isOver) return;
      // So that who watches the request can tell a server that is too slow from a reply that nobody wants.
      letGo(new AgentFailure(failure, detail ?? 'in vain'));
      logger.warn({ ...about, failure, detail }, 'a reply failed');
      emit({ type: 'reply.failed', failure, ...(detail === undefined ? {} : { detail }) });
    };

    const finish = (): void => {
      if (endsEarly !== undefined && utterances.isTorn()) return fail('reply_cut_off', endsEarly);
      say(utterances.end());
      if (isOver) return;
      if (!seen.speech && seen.text) return fail('no_reply', unspeakable);
      letGo();
      if (!seen.speech && !seen.remark) logger.info(about, 'the agent chose silence');
      emit({ type: 'reply.finished' });
    };

    watch?.asked(callId);
    const firstToken = clock.setTimeout(() => fail('first_token_timeout'), times.firstTokenMs);
    const wholeReply = clock.setTimeout(() => fail('reply_timeout'), times.wholeReplyMs);

    const run = async (): Promise<void> => {
      if (agent === undefined) throw new Error('This call has no agent');
      for await (const piece of agent.reply({ turn, messages }, abort.signal)) {
        for (const part of partsOf(piece)) {
          if (isOver) return;
          take(part);
          if (part !== piece) await setImmediate();
        }
      }
      finish();
    };

    run().catch((error: unknown) => {
      if (isExpected(error)) return fail(error.failure, error.message);
      // An agent may well end with an error of its own when it is aborted.
      if (isOver && abort.signal.aborted) return;
      logger.error({ ...about, ...origin(error) }, 'an agent crashed');
      fail('agent_crashed');
    });

    return () => letGo();
  };
};
