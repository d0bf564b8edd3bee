/** Agents of calls: replies and handshakes. */
import { agentBreakers, agentTimes, graphTimes, replyLimits } from '#config/policy.ts';
import { createCallAgents, type CallAgents } from '#src/agents/call-agents.ts';
import type { OwnCall } from '#src/domain/own-call.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import type { AgentCall, HandshakeResult } from '#src/domain/agent-call.ts';
import type { Agent } from '#src/agents/agent.ts';
import { createHandshake, type HandshakeRequest } from '#src/agents/handshake.ts';
import { createStartReply, type StartReply } from '#src/agents/start-reply.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import { withBreaker } from '#src/agents/with-breaker.ts';
import type { AgentTrial, TrialRequest } from '#src/domain/agent-trial.ts';
import { createCircuitBreakers } from '#src/domain/circuit-breakers.ts';
import type { Telemetry } from '#src/telemetry/observe-calls.ts';
import type { Foundation } from './foundation.ts';
import type { StartedLanguageModel } from './start-language-model.ts';
import type { Outgoing } from './start-outgoing.ts';

export type Agents = CallAgents & {
  startReply: StartReply;
  handshake(request: HandshakeRequest & { workspaceId: string }): Promise<HandshakeResult>;
  tryAgent(request: TrialRequest, workspaceId: string): Promise<AgentTrial>;
};

type AgentParts = {
  outgoing: Pick<Outgoing, 'agents' | 'handshakes' | 'trials'>;
  languageModel: Pick<StartedLanguageModel, 'model'>;
  telemetry: Telemetry;
};

/** Creates the agents of calls. Agents with the same server in a workspace share its health state. */
const agentsWithBreakers = (
  { clock, logger }: Foundation,
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
          'an agent endpoint does not answer: its turns fail at once for a while',
        ),
    });
  };
};

export const startAgents = (foundation: Foundation, parts: AgentParts): Agents => {
  const { clock, logger } = foundation;
  const { outgoing, languageModel } = parts;
  const { latency, traces } = parts.telemetry;
  const agents = createCallAgents(agentsWithBreakers(foundation, parts));
  return {
    ...agents,
    begin: (callId) => traces.inCall(callId, () => agents.begin(callId)),
    startReply: traces.traceReplies(
      createStartReply({
        findAgent: agents.find,
        times: agentTimes,
        clock,
        watch: latency.replies,
        logger,
      }),
    ),
    handshake: ({ workspaceId, ...request }) =>
      createHandshake({
        client: outgoing.handshakes.of(workspaceId),
        timeoutMs: agentTimes.handshakeMs,
        clock,
      })(request),
    tryAgent: (request, workspaceId) =>
      createTryAgent({
        client: outgoing.trials.of(workspaceId),
        clock,
        limits: replyLimits,
        graphTimes,
        times: agentTimes,
        wholeTrialMs: agentTimes.wholeTrialMs,
        languageModel: languageModel.model,
        logger: logger.child({ trial: true }),
      })(request),
  };
};
