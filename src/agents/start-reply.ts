/**
 * One reply of a call's agent as events for the conversation: sentence by sentence, then finished or failed. No event
 * is emitted after the end or after the release. A reply without speakable text fails, and so does a reply that its
 * server ended within a sentence. Chosen silence is logged. A reply may also be a control alone.
 */
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyInput, ReplyFailure } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import {
  AgentFailure,
  type Agent,
  type AgentRequest,
  retraction,
  sentenceEnd,
  type ReplyPiece,
} from './agent.ts';
import { type ReplyTimes, startReplyTimers } from './reply-timers.ts';
import { createUtterances, type Utterances, type ReplyPart } from './utterances.ts';
import { setImmediate } from 'node:timers/promises';
import { readListedControls, silence } from './controls/read-control.ts';
import { wantsTool } from './model-marks.ts';

type SpokenReply = {
  /** Signal that aborts at the end of the reply, with the reply's failure as the reason. */
  signal: AbortSignal;
  isOver(): boolean;
  /** Processes a piece. Resolves when all events of the piece were emitted. */
  take(piece: ReplyPiece): Promise<void>;
  /** Called when the agent has finished. */
  finish(): void;
  fail(failure: ReplyFailure, detail?: string): void;
  cancel(): void;
};

type SpokenReplyOptions = {
  utterances: Utterances;
  times: ReplyTimes;
  clock: Clock;
  emit: (event: ReplyEvent) => void;
  onFirstToken: () => void;
  onFirstSentence: () => void;
  /** Whether controls that an answer lists are executed. */
  readsControls: boolean;
  /** Called when an invalid control or a tool call was left out. The reason is safe to log. */
  onLeftOut: (why: string) => void;
  /** Description of the agent for the log. */
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

/** Abort reason of a reply that is over. Without it, each abort would create an error with a stack trace. */
const released = new DOMException('The reply was released', 'AbortError');

/**
 * One streamed reply, which accepts the agent's pieces and emits events to the conversation. No event is emitted after
 * the end or after the release.
 */
const createSpokenReply = (options: SpokenReplyOptions): SpokenReply => {
  const { utterances, emit, about, logger } = options;
  const abort = new AbortController();
  const { give, given, leaveOut, noteRemark } = createGiving(options);
  /** Whether the reply has text, speakable or not. */
  let hasText = false;
  /** Reason why the reply ended before it was complete. */
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

  /** Processes text in steps, because one piece may contain thousands of sentences. */
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

  const cancel = (reason: AgentFailure | DOMException = released): void => {
    timers.stop();
    abort.abort(reason);
  };

  const fail = (failure: ReplyFailure, detail?: string): void => {
    // Words before the failure are still spoken.
    say(utterances.cut());
    if (abort.signal.aborted) return;
    // The abort reason lets observers of the request distinguish a slow server from an aborted reply.
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
        if (options.readsControls) say(utterances.addControls(readListedControls(piece.controls)));
      } else if ('control' in piece) say(utterances.addControls([piece.control]));
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

/** Callbacks for the moment at which a reply is requested, and at which its first piece arrives. */
export type ReplyWatch = {
  asked(callId: string): void;
  firstToken(callId: string): void;
  firstSentence(callId: string): void;
};

export type ReplyOptions = {
  findAgent: (callId: string) => Agent | undefined;
  times: ReplyTimes;
  /** The system clock, even if calls run faster than real time, because agents are real servers and take real time. */
  clock: Clock;
  watch?: ReplyWatch;
  /**
   * Called when an invalid control or a tool call of a reply was left out. The reason is safe to log, and is logged.
   */
  onLeftOut?: (why: string) => void;
  logger: Logger;
};

/** Requests the reply; the returned function releases it and aborts its request. Both are safe at any time. */
export type StartReply = (input: ReplyInput, emit: (event: ReplyEvent) => void) => () => void;

/** Describes the origin of an error without its message: a parser's message, for example, quotes the conversation. */
const origin = (error: unknown): { error: string; at: string[] } =>
  error instanceof Error
    ? { error: error.name, at: (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) }
    : { error: typeof error, at: [] };

const isExpected = (error: unknown): error is AgentFailure | EndpointFailure =>
  error instanceof AgentFailure || error instanceof EndpointFailure;

/**
 * Number of identical replies in a row after which a reply counts as a needless repetition, such as goodbyes without a
 * hang-up.
 */
const mostSame = 5;

/** Maximum number of servers that are remembered as thinking aloud. */
const mostThinkers = 10_000;

/**
 * Remembers agents whose thoughts have only an end mark, so that their next reply waits for this mark, and their
 * servers, so that the first reply of another call waits as well.
 */
const createThinkers = () => {
  const agents = new WeakSet<Agent>();
  const servers = new Set<string>();
  return {
    has: (agent: Agent): boolean =>
      agents.has(agent) || (agent.server !== undefined && servers.has(agent.server)),
    add(agent: Agent): void {
      agents.add(agent);
      if (agent.server === undefined || servers.has(agent.server)) return;
      servers.add(agent.server);
      const [oldest] = servers;
      if (servers.size > mostThinkers && oldest !== undefined) servers.delete(oldest);
    },
    /** Called after a complete reply without such a thought: the server may have another model now. */
    forgetServer({ server }: Agent): void {
      if (server !== undefined) servers.delete(server);
    },
  };
};

export const createStartReply = ({
  findAgent,
  times,
  clock,
  watch,
  onLeftOut = () => {},
  logger,
}: ReplyOptions): StartReply => {
  const thinkers = createThinkers();

  /** The newest reply of each agent, and how often it was repeated in a row. */
  const newest = new WeakMap<Agent, { words: string; times: number }>();

  const noteReply = (agent: Agent, words: string, about: object): void => {
    const before = newest.get(agent);
    const times = words !== '' && words === before?.words ? before.times + 1 : 1;
    newest.set(agent, { words, times });
    if (times !== mostSame) return;
    logger.warn({ ...about, times }, 'the agent repeats the same reply; was a hang-up refused?');
  };

  /** Reads the reply to its end, or until its release. Rejects if its agent fails. */
  const read = async (agent: Agent, request: AgentRequest, utterances: Utterances, reply: SpokenReply) => {
    for await (const piece of agent.reply(request, reply.signal)) {
      if (reply.isOver()) return;
      await reply.take(piece);
      if (utterances.thoughtAloud()) thinkers.add(agent);
    }
    reply.finish();
  };

  return ({ callId, turn, messages }, emit) => {
    const about = { call_id: callId, turn };
    const agent = findAgent(callId);
    const readsControls = agent?.writesControls ?? false;
    const utterances = createUtterances({
      thinksAloud: agent !== undefined && thinkers.has(agent),
      controls: readsControls,
    });
    watch?.asked(callId);
    let words = '';
    const reply = createSpokenReply({
      utterances,
      times,
      clock,
      emit(event) {
        if (event.type === 'reply.sentence') words += event.text;
        if (event.type === 'reply.finished' && agent !== undefined) {
          noteReply(agent, words, about);
          if (words !== '' && !utterances.thoughtAloud()) thinkers.forgetServer(agent);
        }
        emit(event);
      },
      onFirstToken: () => watch?.firstToken(callId),
      onFirstSentence: () => watch?.firstSentence(callId),
      readsControls,
      onLeftOut,
      about,
      logger,
    });

    const run = async (): Promise<void> => {
      if (agent === undefined) throw new Error('This call has no agent');
      await read(agent, { turn, messages }, utterances, reply);
    };

    run().catch((error: unknown) => {
      if (isExpected(error)) return reply.fail(error.failure, error.message);
      // An error of the agent after the end of the reply is ignored, because an agent may end with an error of its own
      // when it is aborted.
      if (reply.isOver()) return;
      logger.error({ ...about, ...origin(error) }, 'an agent crashed');
      reply.fail('agent_crashed');
    });

    return reply.cancel;
  };
};
