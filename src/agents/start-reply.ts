/**
 * One reply of a call's agent, as the conversation hears of it: sentence by sentence, then finished or failed. Nothing
 * follows the last word, and nothing at all follows once it was let go of. A reply of which nothing can be spoken has
 * failed, and so has one that its server ended within a sentence; one whose agent chose silence leaves a line in the log.
 * A reply may also be a control alone.
 */
import type { Logger } from 'pino';
import type { ReplyEvent, ReplyInput } from '#machines/reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { AgentFailure, type Agent, type AgentRequest } from './agent.ts';
import type { ReplyTimes } from './reply-timers.ts';
import { createSpokenReply, type SpokenReply } from './spoken-reply.ts';
import { createUtterances, type Utterances } from './utterances.ts';

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
  /** A control of a reply that is wrong, or the call of a tool, was left out; safe to log, and logged. */
  onLeftOut?: (why: string) => void;
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

/** Replies in a row; so many that are the same keep a call up for nothing, such as goodbyes without a hang-up. */
const mostSame = 5;

export const createStartReply = ({
  findAgent,
  times,
  clock,
  watch,
  onLeftOut = () => {},
  logger,
}: ReplyOptions): StartReply => {
  /** Agents whose thoughts only end with a mark; with their next reply it is waited for. */
  const thinkers = new WeakSet<Agent>();

  /** The newest reply of each agent, and how often in a row it was given. */
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

  /** Reads the reply to its end, or until it is let go of. Rejects when its agent fails. */
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
      // An agent may well end with an error of its own when it is aborted.
      if (reply.isOver()) return;
      logger.error({ ...about, ...origin(error) }, 'an agent crashed');
      reply.fail('agent_crashed');
    });

    return reply.letGo;
  };
};
