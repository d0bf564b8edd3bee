/**
 * A trial conversation with an agent endpoint or the built-in agent, without a call: uses the same adapters, HTTP
 * client, sentence splitting and timeouts as a call, and records all requests and responses.
 */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { AgentTrial, TrialRequest, TriedTurn } from '#src/domain/agent-trial.ts';
import type { Agent } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import { createAgents } from './create-agent.ts';
import type { LanguageModel } from './language-model/ask-model.ts';
import type { ReplyTimes } from './reply-timers.ts';
import { createStartReply } from './start-reply.ts';
import { adviceFor } from './trial/advice.ts';
import { hearTurn, type HeardTurn } from './trial/hear-turn.ts';
import { observedClient } from '#src/outgoing/observed-client.ts';
import { callOf, messagesOf, notesOf } from './trial/trial-request.ts';
import { watchedAgent, type TurnNotes } from './trial/watched-agent.ts';
import { secretsOf, withoutSecrets } from './trial/without-secrets.ts';

export type TrialWorld = EndpointWorld & {
  times: ReplyTimes;
  /** Timeout for all turns together. */
  wholeTrialMs: number;
  /** Language model of the built-in agent; `null`: it works without one. */
  languageModel: LanguageModel | null;
  logger: Logger;
};

export type TryAgent = (
  request: TrialRequest,
  /** Called with each turn as soon as it ends. */
  onTurn?: (turn: TriedTurn) => void,
) => Promise<AgentTrial>;

/** The address and name of the operator's model are hidden from users of the trial. */
const modelAddress = "the operator's language model";

const withoutModel =
  'There is no language model (GW_LLM_BASE_URL): the built-in agent keeps to a few plain questions.';

/** The agent of the simulated call; all its traffic is recorded. */
const agentOnTrial = (world: TrialWorld, call: AgentCall, currentNotes: () => TurnNotes): Agent => {
  const { client, clock, limits, graphTimes, languageModel, logger } = world;
  const agent = createAgents({
    client: observedClient(client, currentNotes, { secretHeaders: Object.keys(call.headers) }),
    clock,
    limits,
    graphTimes,
    // There is no call to end; a request to end it has already ended the trial.
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
        // An aborted request is notified a moment later.
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
