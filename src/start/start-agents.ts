/** Whatever answers for a call: its agent, its replies, and the handshake before it. */
import type { Logger } from 'pino';
import type { HangUp } from '#src/agents/built-in.ts';
import { createCallAgents, type CallAgents } from '#src/agents/call-agents.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import type { EndpointWorld } from '#src/agents/ask-endpoint.ts';
import { createHandshake, type Handshake } from '#src/agents/handshake.ts';
import { createStartReply, type ReplyTimes, type StartReply } from '#src/agents/start-reply.ts';
import { createTryAgent, type TryAgent } from '#src/agents/try-agent.ts';

export type Agents = CallAgents & { startReply: StartReply; handshake: Handshake; tryAgent: TryAgent };

export const startAgents = (
  options: EndpointWorld & {
    times: ReplyTimes & { handshakeMs: number; wholeTrialMs: number };
    hangUp: HangUp;
    logger: Logger;
  },
): Agents => {
  const { client, clock, limits, times, logger } = options;
  const agents = createCallAgents(createAgents(options));
  return {
    ...agents,
    startReply: createStartReply({ findAgent: agents.find, times, clock, logger }),
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
