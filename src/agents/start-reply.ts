/**
 * One reply of a call's agent as events for the conversation: sentence by sentence, then finished or failed. Emits no
 * event after the end, or after the release. A reply without speakable text fails, and so does one that its server
 * ended within a sentence; chosen silence is logged. A reply may also be a control alone.
 */
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyInput } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { AgentFailure, type Agent, type AgentRequest } from './agent.ts';
import type { ReplyTimes } from './reply-timers.ts';
import { createSpokenReply, type SpokenReply } from './spoken-reply.ts';
import { createUtterances, type Utterances } from './utterances.ts';

/** Called when a reply is requested, and when its first piece arrives. */
export type ReplyWatch = {
  asked(callId: string): void;
  firstToken(callId: string): void;
  firstSentence(callId: string): void;
};

export type ReplyOptions = {
  findAgent: (callId: string) => Agent | undefined;
  times: ReplyTimes;
  /** The system clock, even if calls run accelerated: agents are real servers and take real time. */
  clock: Clock;
  watch?: ReplyWatch;
  /** An invalid control or a tool call of a reply was left out; safe to log, and logged. */
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

/** Number of identical replies in a row that keep a call alive needlessly, such as goodbyes without a hang-up. */
const mostSame = 5;

export const createStartReply = ({
  findAgent,
  times,
  clock,
  watch,
  onLeftOut = () => {},
  logger,
}: ReplyOptions): StartReply => {
  /** Agents whose thoughts have only an end mark; their next reply waits for it. */
  const thinkers = new WeakSet<Agent>();

  /** The newest reply of each agent, and how often it was repeated in a row. */
  const newest = new WeakMap<Agent, { words: string; times: number }>();

  const noteReply = (agent: Agent, words: string, about: object): void => {
    const before = newest.get(agent);
    const times = words !== '' && words === before?.words ? before.times + 1 : 1;
    newest.set(agent, { words, times });
    if (times !== mostSame) return;
    logger.warn(
      { ...about, times },
      'the agent gives the same reply again and again; was a hang-up refused?',
    );
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
        if (event.type === 'reply.finished' && agent !== undefined) noteReply(agent, words, about);
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
      // An agent may end with its own error when it is aborted.
      if (reply.isOver()) return;
      logger.error({ ...about, ...origin(error) }, 'an agent crashed');
      reply.fail('agent_crashed');
    });

    return reply.cancel;
  };
};
