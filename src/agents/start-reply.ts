/**
 * One reply of a call's agent, as the conversation hears of it: sentence by sentence, then finished or failed. Nothing
 * follows the last word, and nothing at all follows once it was let go of.
 */
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyFailure, ReplyInput } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { AgentFailure, sentenceEnd, type Agent, type ReplyPiece } from './agent.ts';
import { createSentenceCutter } from './sentences.ts';

export type ReplyTimes = {
  /** Until the first piece of text. */
  firstTokenMs: number;
  /** Until the end of the reply. */
  wholeReplyMs: number;
};

export type ReplyOptions = {
  findAgent: (callId: string) => Agent | undefined;
  times: ReplyTimes;
  /** The system's clock, also where calls run accelerated: agents are real servers and take their real time. */
  clock: Clock;
  logger: Logger;
};

/** Asks for the reply; the returned function lets go of it and aborts what is behind it. Both are safe at any time. */
export type StartReply = (input: ReplyInput, emit: (event: ReplyEvent) => void) => () => void;

/** Where an error came from. Its message is left out: that of a parser, for one, quotes what was said. */
const origin = (error: unknown): { error: string; at: string[] } =>
  error instanceof Error
    ? { error: error.name, at: (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) }
    : { error: typeof error, at: [] };

const isExpected = (error: unknown): error is AgentFailure | EndpointFailure =>
  error instanceof AgentFailure || error instanceof EndpointFailure;

export const createStartReply =
  ({ findAgent, times, clock, logger }: ReplyOptions): StartReply =>
  ({ callId, turn, messages }, emit) => {
    const about = { call_id: callId, turn };
    const abort = new AbortController();
    const sentences = createSentenceCutter();
    let isOver = false;

    const say = (texts: readonly string[]): void => {
      for (const text of texts) if (!isOver) emit({ type: 'reply.sentence', text });
    };

    const take = (piece: ReplyPiece): void => {
      if (piece === sentenceEnd) return say(sentences.end());
      if (typeof piece === 'object') return logger.info({ ...about, remark: piece.remark }, 'about a reply');
      if (piece !== '') clock.clearTimeout(firstToken);
      say(sentences.add(piece));
    };

    const letGo = (): void => {
      isOver = true;
      clock.clearTimeout(firstToken);
      clock.clearTimeout(wholeReply);
      abort.abort();
    };

    const fail = (failure: ReplyFailure, detail?: string): void => {
      // What came before the failure is worth hearing.
      say(sentences.end());
      if (isOver) return;
      letGo();
      logger.warn({ ...about, failure, detail }, 'a reply failed');
      emit({ type: 'reply.failed', failure, ...(detail === undefined ? {} : { detail }) });
    };

    const firstToken = clock.setTimeout(() => fail('first_token_timeout'), times.firstTokenMs);
    const wholeReply = clock.setTimeout(() => fail('reply_timeout'), times.wholeReplyMs);

    const run = async (): Promise<void> => {
      const agent = findAgent(callId);
      if (agent === undefined) throw new Error('This call has no agent');
      for await (const piece of agent.reply({ turn, messages }, abort.signal)) {
        if (isOver) return;
        take(piece);
      }
      say(sentences.end());
      if (isOver) return;
      letGo();
      emit({ type: 'reply.finished' });
    };

    run().catch((error: unknown) => {
      if (isExpected(error)) return fail(error.failure, error.message);
      // An agent may well end with an error of its own when it is aborted.
      if (isOver && abort.signal.aborted) return;
      logger.error({ ...about, ...origin(error) }, 'an agent crashed');
      fail('agent_crashed');
    });

    return letGo;
  };
