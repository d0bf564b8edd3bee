import type { Agent, AgentCall } from './agent.ts';
import type { CreateAgent } from './create-agent.ts';

/** The agents of the calls in progress, one each. */
export type CallAgents = {
  /** Makes the agent of a call and keeps it until the call is released. */
  keep(callId: string, call: AgentCall): void;
  find(callId: string): Agent | undefined;
  /** The call was answered. */
  begin(callId: string): void;
  release(callId: string): void;
};

export const createCallAgents = (createAgent: CreateAgent): CallAgents => {
  const agents = new Map<string, Agent>();
  return {
    keep(callId, call) {
      agents.set(callId, createAgent(call));
    },
    find: (callId) => agents.get(callId),
    begin: (callId) => agents.get(callId)?.begin?.(),
    release(callId) {
      agents.get(callId)?.end?.();
      agents.delete(callId);
    },
  };
};
