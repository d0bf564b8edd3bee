/**
 * A trial conversation with an agent endpoint or the built-in agent, without a call. The trial uses the same adapters,
 * HTTP client, sentence splitting and timeouts as a call, and records all requests and responses.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Message, ReplyFailure, ReplyInput } from '#machines/reply.ts';
import { keepWhatTypeStores } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { agentContext, partiesOf } from '#src/domain/agent-context.ts';
import type { AgentTrial, TrialRequest, TriedTurn } from '#src/domain/agent-trial.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { observedClient, type ExchangeLog } from '#src/outgoing/observed-client.ts';
import { AgentFailure, type Agent } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import { createAgents } from './create-agent.ts';
import type { LanguageModel } from './language-model/ask-model.ts';
import type { ReplyTimes } from './reply-timers.ts';
import { createStartReply, type StartReply } from './start-reply.ts';
import { adviceFor } from './trial/advice.ts';
import { secretsOf, withoutSecrets } from './trial/without-secrets.ts';

export type TrialWorld = EndpointWorld & {
  times: ReplyTimes;
  /** Timeout for all turns together. */
  wholeTrialMs: number;
  /** Language model of the built-in agent; `null` if the built-in agent works without one. */
  languageModel: LanguageModel | null;
  logger: Logger;
};

export type TryAgent = (
  request: TrialRequest,
  /** Called with each turn as soon as it ends. */
  onTurn?: (turn: TriedTurn) => void,
) => Promise<AgentTrial>;

/** Text in place of the operator's model address and name, which users of the trial must not see. */
const modelAddress = "the operator's language model";

const withoutModel =
  'There is no language model (GW_LLM_BASE_URL): the built-in agent keeps to a few plain questions.';

const inventedNumber = '07000000000';
const inventedCounterparty = '01000000001';

/** The simulated call. */
const callOf = ({
  agentType,
  direction,
  language,
  instruction,
  token,
  headers,
  ownNumber = inventedNumber,
  chatUrl,
  assistantId,
  agentId,
  controls,
  model,
  prompt,
  tools,
  transferTo = [],
}: TrialRequest): AgentCall => ({
  context: agentContext({
    id: randomUUID(),
    direction,
    ...partiesOf({ direction, ownNumber, counterparty: inventedCounterparty }),
    language,
  }),
  binding: keepWhatTypeStores({
    direction,
    chatUrl,
    assistantId,
    agentId,
    controls,
    model,
    prompt,
    tools,
    ...(agentType === 'builtin' ? { agent: 'builtin', agentType: null } : { agent: 'endpoint', agentType }),
  }),
  bearerToken: token,
  headers,
  instruction,
  transferTo,
});

/** Notes on fields that a binding would not store (guides/design/agents.md, "Bindings"). */
const notesOf = ({ agentId, assistantId, agentType, direction }: TrialRequest): string[] => [
  ...(agentId === null || (agentType === 'mastra' && direction === 'outbound')
    ? []
    : agentType === 'mastra'
      ? [
          'Inbound mastra calls have no agent ID: they go to voiceAssistant, or to the agent at which the chat URL points.',
        ]
      : [`The agent ID is not used: ${agentType} has none.`]),
  ...(assistantId === null || agentType === 'langgraph'
    ? []
    : [`The assistant ID is not used: ${agentType} has none.`]),
];

/** The other party's turns, including the kickoff. */
const messagesOf = ({ direction, instruction, say }: TrialRequest): string[] => [
  ...(direction === 'outbound' ? [kickoffFor(instruction)] : []),
  ...say,
];

/** Record of one turn. */
type TurnNotes = ExchangeLog & {
  remarks: string[];
  /** The server's own error text, for the endpoint's owner only. */
  serverSays: string | null;
};

/** Wraps an agent and records the remarks that a call would only log. */
const watchedAgent = (agent: Agent, currentNotes: () => TurnNotes): Agent => ({
  ...agent,
  begin: () => agent.begin?.(),
  close: () => agent.close?.(),
  async *reply(request, signal) {
    const notes = currentNotes();
    try {
      for await (const piece of agent.reply(request, signal)) {
        if (typeof piece === 'object' && 'remark' in piece) notes.remarks.push(piece.remark);
        yield piece;
      }
    } catch (error) {
      if (error instanceof AgentFailure) notes.serverSays = error.serverSays ?? null;
      throw error;
    }
  },
});

/** The agent of the simulated call; all its traffic is recorded. */
const agentOnTrial = (world: TrialWorld, call: AgentCall, currentNotes: () => TurnNotes): Agent => {
  const { client, clock, limits, graphTimes, languageModel, logger } = world;
  const agent = createAgents({
    client: observedClient(client, currentNotes, { secretHeaders: Object.keys(call.headers) }),
    clock,
    limits,
    graphTimes,
    // A trial has no call to end, so the hang-up is only recorded.
    hangUp: () => {
      currentNotes().remarks.push('the agent has hung up');
      return Promise.resolve();
    },
    pressKeys: (_callId, keys) => {
      currentNotes().remarks.push(`the agent has pressed ${keys}`);
      return Promise.resolve();
    },
    languageModel: languageModel && {
      ...languageModel,
      client: observedClient(languageModel.client, currentNotes, { shownUrl: modelAddress }),
    },
    logger,
  })(call);
  return watchedAgent(agent, currentNotes);
};

type HeardTurn = Pick<TriedTurn, 'spoken' | 'controls'> & {
  endMs: number;
  failure: { kind: ReplyFailure; detail: string } | null;
};

/** Consumes one reply to its end, as a conversation would. Never rejects. */
const hearTurn = (
  startReply: StartReply,
  { input, elapsed, giveUp }: { input: ReplyInput; elapsed: () => number; giveUp: AbortSignal },
): Promise<HeardTurn> =>
  new Promise((resolve) => {
    const spoken: HeardTurn['spoken'] = [];
    const controls: HeardTurn['controls'] = [];
    const end = (failure: HeardTurn['failure']): void => {
      giveUp.removeEventListener('abort', outOfTime);
      resolve({ spoken, controls, endMs: elapsed(), failure });
    };
    const stop = startReply(input, (event) => {
      if (event.type === 'reply.sentence') spoken.push({ text: event.text, atMs: elapsed() });
      else if (event.type === 'reply.control') controls.push({ ...event.control, atMs: elapsed() });
      else if (event.type === 'reply.finished') end(null);
      else end({ kind: event.failure, detail: event.detail ?? '' });
    });
    const outOfTime = (): void => {
      stop();
      end({ kind: 'reply_timeout', detail: 'the time for the whole trial is up' });
    };
    giveUp.addEventListener('abort', outOfTime);
    if (giveUp.aborted) outOfTime();
  });

export const createTryAgent =
  (world: TrialWorld): TryAgent =>
  async (request, onTurn = () => undefined) => {
    const { clock, times, wholeTrialMs, languageModel, logger } = world;
    const call = callOf(request);
    const callId = call.context.call_id;
    const startNotes = (): TurnNotes => {
      const begunAt = clock.now();
      return {
        exchanges: [],
        remarks: [],
        serverSays: null,
        elapsed: () => clock.now() - begunAt,
      };
    };
    let notes = startNotes();
    const agent = agentOnTrial(world, call, () => notes);
    const startReply = createStartReply({
      findAgent: () => agent,
      times,
      clock,
      onLeftOut: (why) => notes.remarks.push(why),
      logger,
    });

    const timeIsUp = new AbortController();
    const wholeTrial = clock.setTimeout(() => timeIsUp.abort(), wholeTrialMs);
    const messages: Message[] = [];
    const turns: TriedTurn[] = [];
    try {
      agent.begin?.();
      for (const [index, message] of messagesOf(request).entries()) {
        if (index > 0) notes = startNotes();
        messages.push({ role: 'user', content: message });
        const heard = await hearTurn(startReply, {
          input: { callId, turn: index + 1, messages: [...messages] },
          elapsed: notes.elapsed,
          giveUp: timeIsUp.signal,
        });
        // The event of an aborted request arrives a moment later.
        if (heard.failure !== null) await nextRound();
        const turn = withoutSecrets(
          turnOf({ number: index + 1, message, notes, heard }, call),
          secretsOf(
            request.agentType === 'builtin'
              ? { bearerToken: languageModel?.apiKey ?? null, headers: {} }
              : call,
          ),
        );
        turns.push(turn);
        onTurn(turn);
        // Messages after a failure would only repeat the failure.
        if (heard.failure !== null) break;
        const said = heard.spoken.map(({ text }) => text).join(' ');
        if (said !== '') messages.push({ role: 'assistant', content: said });
      }
    } finally {
      clock.clearTimeout(wholeTrial);
      agent.close?.();
    }
    return {
      callId,
      agentType: request.agentType,
      direction: request.direction,
      language: request.language,
      ok: turns.every(
        ({ failure, spoken, controls }) => failure === null && spoken.length + controls.length > 0,
      ),
      notes: [
        ...notesOf(request),
        ...(request.agentType === 'builtin' && languageModel === null ? [withoutModel] : []),
      ],
      turns,
    };
  };

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const turnOf = (
  { number, message, notes, heard }: { number: number; message: string; notes: TurnNotes; heard: HeardTurn },
  call: AgentCall,
): TriedTurn => {
  const { spoken, controls, failure, endMs } = heard;
  const reply = notes.exchanges.findLast(
    ({ received }) => received !== null && isSuccess(received.status) && received.bytes > 0,
  );
  const turn: TriedTurn = {
    turn: number,
    message,
    exchanges: notes.exchanges,
    spoken,
    controls,
    firstByteMs: reply?.received?.firstByteMs ?? null,
    firstSentenceMs: spoken.at(0)?.atMs ?? null,
    endMs,
    remarks: notes.remarks,
    failure: failure && { ...failure, serverSays: notes.serverSays },
    advice: null,
  };
  return { ...turn, advice: adviceFor(turn, call) };
};
