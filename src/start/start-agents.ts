/** Whatever answers for a call: its agent, its replies, and the handshake before it. */
import { createCallAgents, type CallAgents } from '#src/agents/call-agents.ts';
import { createAgents, type AgentWorld } from '#src/agents/create-agent.ts';
import { createHandshake, type Handshake } from '#src/agents/handshake.ts';
import {
  createStartReply,
  type ReplyTimes,
  type ReplyWatch,
  type StartReply,
} from '#src/agents/start-reply.ts';
import { createTryAgent, type TryAgent } from '#src/agents/try-agent.ts';
import type { Traces } from './traces.ts';

export type Agents = CallAgents & { startReply: StartReply; handshake: Handshake; tryAgent: TryAgent };

export const startAgents = (
  options: AgentWorld & {
    watchReplies: ReplyWatch;
    traces: Pick<Traces, 'inCall' | 'traceReplies'>;
    times: ReplyTimes & { handshakeMs: number; wholeTrialMs: number };
  },
): Agents => {
  const { client, clock, limits, times, traces, logger } = options;
  const agents = createCallAgents(createAgents(options));
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
    handshake: createHandshake({ client, timeoutMs: times.handshakeMs, clock }),
    tryAgent: createTryAgent({
      client,
      clock,
      limits,
      times,
      wholeTrialMs: times.wholeTrialMs,
      logger: logger.child({ trial: true }),
    }),
  };
};
