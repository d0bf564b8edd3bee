import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import type { OwnCall } from '#src/domain/own-call.ts';

/** Agents of the calls in progress, one per call. */
export type CallAgents = {
  /** Creates the agent of a call and keeps it until the call is released. */
  keep(callId: string, call: AgentCall, workspaceId: string, own: OwnCall): void;
  find(callId: string): Agent | undefined;
  /** Called when the call was answered. */
  begin(callId: string): void;
  release(callId: string): void;
};

export const createCallAgents = (
  createAgent: (call: AgentCall, workspaceId: string, own: OwnCall) => Agent,
): CallAgents => {
  const agents = new Map<string, Agent>();
  return {
    keep(callId, call, workspaceId, own) {
      agents.set(callId, createAgent(call, workspaceId, own));
    },
    find: (callId) => agents.get(callId),
    begin: (callId) => agents.get(callId)?.begin?.(),
    release(callId) {
      agents.get(callId)?.close?.();
      agents.delete(callId);
    },
  };
};
