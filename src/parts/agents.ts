/** Agents of calls, and the operator's language model if one is configured. */
import { agentBreakers, agentTimes, graphTimes, replyLimits, languageModelLimits } from '#config/policy.ts';
import { createCallAgents, type CallAgents } from '#src/agents/call-agents.ts';
import type { OwnCall } from '#src/domain/own-call.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import type { AgentCall, HandshakeResult } from '#src/domain/agent-call.ts';
import { type Agent, withBreaker } from '#src/agents/agent.ts';
import { createHandshake, type HandshakeRequest } from '#src/agents/handshake.ts';
import { createStartReply, type StartReply } from '#src/agents/start-reply.ts';
import type { Fence } from '#src/domain/fence.ts';
import type { AgentTrial, TrialRequest } from '#src/domain/agent-trial.ts';
import { createCircuitBreakers } from '#src/domain/circuit-breakers.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Runtime } from './runtime.ts';
import type { Outgoing } from './outgoing.ts';
import type { LanguageModel } from '#src/agents/language-model/ask-model.ts';
import { createSummarizeByModel } from '#src/agents/language-model/summarize-by-model.ts';
import { createRehearsalModel } from '#src/agents/language-model/play-persona.ts';
import type { RehearsalModel } from '#src/domain/persona.ts';
import type { SummarizeByModel } from '#src/domain/call-summary.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';

export type OwnLanguageModel = {
  /** The operator's language model; `null` if the built-in agent works without one. */
  model: LanguageModel | null;
  summarize: SummarizeByModel | null;
  /** Plays personas of rehearsals and judges calls; `null` without a model. */
  rehearsing: RehearsalModel | null;
};

/** Starts the language model. `onFailure` is called for each failed request. */
export const startLanguageModel = (
  { config, clock, started }: Pick<Runtime, 'config' | 'clock' | 'started'>,
  onFailure: NonNullable<LanguageModel['failed']>,
): OwnLanguageModel => {
  if (config.languageModel === null) return { model: null, summarize: null, rehearsing: null };
  const { connectMs, connections, firstTokenMs } = languageModelLimits;
  const client = createEndpointClient({
    // Allows private addresses, because the operator chose the server.
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: connections,
  });
  started.defer(() => client.close());
  const model: LanguageModel = {
    ...config.languageModel,
    client,
    clock,
    limits: replyLimits,
    firstTokenMs,
    failed: onFailure,
  };
  return {
    model,
    summarize: createSummarizeByModel(model),
    rehearsing: createRehearsalModel(model),
  };
};

export type Agents = CallAgents & {
  startReply: StartReply;
  handshake(request: HandshakeRequest & { workspaceId: string }): Promise<HandshakeResult>;
  tryAgent(request: TrialRequest, workspaceId: string): Promise<AgentTrial>;
};

type AgentParts = {
  outgoing: Outgoing;
  languageModel: OwnLanguageModel;
  telemetry: Telemetry;
};

/** Creates the agents of calls. Agents with the same server in a workspace share its circuit breaker. */
const agentsWithBreakers = (
  { clock, logger }: Runtime,
  { outgoing, languageModel: { model: languageModel } }: AgentParts,
): ((call: AgentCall, workspaceId: string, own: OwnCall) => Agent) => {
  const breakers = createCircuitBreakers(clock, agentBreakers);
  return (call, workspaceId, own) => {
    const client = outgoing.agents.of(workspaceId);
    const agent = createAgents({
      ...own,
      client,
      limits: replyLimits,
      graphTimes,
      languageModel,
      clock,
      logger,
    })(call);
    const { agent: kind, chatUrl } = call.binding;
    if (kind === 'builtin') return agent;
    const callId = call.context.call_id;
    return withBreaker(agent, {
      callId,
      breaker: breakers.of(`${workspaceId} ${chatUrl}`),
      onOpened: () =>
        logger.warn(
          { call_id: callId, workspace_id: workspaceId },
          'an agent endpoint does not respond: its turns fail at once during a cool-down',
        ),
    });
  };
};

/**
 * Makes requests wait while the process's fence is closed after a freeze. If another process has taken over the call,
 * the conversation in this process is stopped by then.
 */
const behindFence =
  (fence: Fence, startReply: StartReply): StartReply =>
  (input, sendBack) => {
    if (fence.isOpen()) return startReply(input, sendBack);
    let stop: () => void = () => {};
    let isStopped = false;
    const start = (): void => {
      if (!isStopped) stop = startReply(input, sendBack);
    };
    fence.pass().then(start, () => {});
    return () => {
      isStopped = true;
      stop();
    };
  };

export const startAgents = (runtime: Runtime, parts: AgentParts): Agents => {
  const { bus, clock, logger } = runtime;
  const { outgoing, languageModel } = parts;
  const { traces } = parts.telemetry;
  const agents = createCallAgents(agentsWithBreakers(runtime, parts));
  return {
    ...agents,
    begin: (callId) => traces.inCall(callId, () => agents.begin(callId)),
    startReply: traces.traceReplies(
      behindFence(
        runtime.fence,
        createStartReply({
          findAgent: agents.find,
          times: agentTimes,
          clock,
          watch: {
            asked: (callId) => bus.publish('reply', { callId, stage: 'asked' }),
            firstToken: (callId) => bus.publish('reply', { callId, stage: 'first_token' }),
            firstSentence: (callId) => bus.publish('reply', { callId, stage: 'first_sentence' }),
          },
          logger,
        }),
      ),
    ),
    handshake: ({ workspaceId, ...request }) =>
      createHandshake({
        client: outgoing.handshakes.of(workspaceId),
        timeoutMs: agentTimes.handshakeMs,
        clock,
      })(request),
    async tryAgent(request, workspaceId) {
      // Imported late, because calls of a dead process wait for the modules of the start.
      const { createTryAgent } = await import('#src/agents/trial.ts');
      return createTryAgent({
        client: outgoing.trials.of(workspaceId),
        clock,
        limits: replyLimits,
        graphTimes,
        times: agentTimes,
        wholeTrialMs: agentTimes.wholeTrialMs,
        languageModel: languageModel.model,
        logger: logger.child({ trial: true }),
      })(request);
    },
  };
};
