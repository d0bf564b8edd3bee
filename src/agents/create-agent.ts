import type { Logger } from 'pino';
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { Agent, AgentCall } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import { builtInAgent, type HangUp } from './built-in.ts';
import { langgraphAgent } from './langgraph.ts';
import { mastraAgent } from './mastra.ts';
import { n8nAgent } from './n8n.ts';
import { openAiCompatibleAgent } from './openai-compatible.ts';
import { webhookAgent } from './webhook.ts';

/** One file per wire format (specification 4.7); `url` is the binding's chat URL. */
type EndpointAgent = (world: EndpointWorld, url: string, call: AgentCall) => Agent;

const endpointAgents: Readonly<Record<AgentType, EndpointAgent>> = {
  webhook: webhookAgent,
  openai_compatible: openAiCompatibleAgent,
  n8n: n8nAgent,
  langgraph: langgraphAgent,
  mastra: mastraAgent,
};

export type CreateAgent = (call: AgentCall) => Agent;

/** Makes the agent of a call from its binding, which must be able to take calls (`canTakeCalls`). */
export const createAgents =
  ({ hangUp, logger, ...world }: EndpointWorld & { hangUp: HangUp; logger: Logger }): CreateAgent =>
  (call) => {
    const { agent, agentType, chatUrl } = call.binding;
    if (agent === 'builtin') return builtInAgent(call, { hangUp, logger });
    if (agentType === null || chatUrl === null) throw new Error('A call was begun with half a binding');
    return endpointAgents[agentType](world, chatUrl, call);
  };
