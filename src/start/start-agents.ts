/** Whatever answers for a call: its agent, its replies, and the handshake before it. */
import type { Logger } from 'pino';
import { createCallAgents, type CallAgents } from '#src/agents/call-agents.ts';
import { createAgents, type AgentWorld } from '#src/agents/create-agent.ts';
import type { AgentCall, HandshakeResult } from '#src/domain/agent-call.ts';
import type { Agent } from '#src/agents/agent.ts';
import { createHandshake, type HandshakeRequest } from '#src/agents/handshake.ts';
import type { ReplyTimes } from '#src/agents/reply-timers.ts';
import { createStartReply, type ReplyWatch, type StartReply } from '#src/agents/start-reply.ts';
import { createTryAgent } from '#src/agents/try-agent.ts';
import { withBreaker } from '#src/agents/with-breaker.ts';
import type { AgentTrial, TrialRequest } from '#src/domain/agent-trial.ts';
import { createCircuitBreakers, type BreakerNumbers } from '#src/domain/circuit-breakers.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Outgoing } from './start-outgoing.ts';
import type { Traces } from '#src/telemetry/traces.ts';

export type Agents = CallAgents & {
  startReply: StartReply;
  handshake(request: HandshakeRequest & { workspaceId: string }): Promise<HandshakeResult>;
  tryAgent(request: TrialRequest, workspaceId: string): Promise<AgentTrial>;
};

/** Makes the agents of calls. Those at one address of a workspace share what is known of their server. */
const agentsWithBreakers = ({
  outgoing,
  breakers: numbers,
  clock,
  logger,
  ...others
}: Omit<AgentWorld, 'client'> & {
  outgoing: Pick<Outgoing, 'agents'>;
  breakers: BreakerNumbers;
  clock: Clock;
  logger: Logger;
}): ((call: AgentCall, workspaceId: string) => Agent) => {
  const breakers = createCircuitBreakers(clock, numbers);
  return (call, workspaceId) => {
    const client = outgoing.agents.of(workspaceId);
    const agent = createAgents({ ...others, clock, logger, client })(call);
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

export const startAgents = (
  options: Omit<AgentWorld, 'client'> & {
    outgoing: Pick<Outgoing, 'agents' | 'handshakes' | 'trials'>;
    breakers: BreakerNumbers;
    watchReplies: ReplyWatch;
    traces: Pick<Traces, 'inCall' | 'traceReplies'>;
    times: ReplyTimes & { handshakeMs: number; wholeTrialMs: number };
  },
): Agents => {
  const { outgoing, clock, limits, times, traces, logger } = options;
  const agents = createCallAgents(agentsWithBreakers(options));
  return {
    ...agents,
    begin: (callId) => traces.inCall(callId, () => agents.begin(callId)),
    startReply: traces.traceReplies(
      createStartReply({
        findAgent: agents.find,
        times,
        clock,
        watch: options.watchReplies,
        logger,
      }),
    ),
    handshake: ({ workspaceId, ...request }) =>
      createHandshake({
        client: outgoing.handshakes.of(workspaceId),
        timeoutMs: times.handshakeMs,
        clock,
      })(request),
    tryAgent: (request, workspaceId) =>
      createTryAgent({
        client: outgoing.trials.of(workspaceId),
        clock,
        limits,
        times,
        wholeTrialMs: times.wholeTrialMs,
        languageModel: options.languageModel,
        logger: logger.child({ trial: true }),
      })(request),
  };
};
