/** The agent of a number in one direction (guides/design/agents.md, "Bindings"). */
import type { Direction } from '#machines/line.ts';

export const agentTypes = ['webhook', 'openai_compatible', 'n8n', 'langgraph', 'mastra'] as const;

export type AgentType = (typeof agentTypes)[number];

/** Whether the agent may write controls in its replies: `inline` (guides/design/agents.md, "Controls"). */
export const controlModes = ['off', 'inline'] as const;

export type ControlMode = (typeof controlModes)[number];

/** A stored binding without its token. */
export type AgentBinding = {
  direction: Direction;
  /** `builtin` is the default and needs no customer server. */
  agent: 'builtin' | 'endpoint';
  agentType: AgentType | null;
  chatUrl: string | null;
  assistantId: string | null;
  agentId: string | null;
  controls: ControlMode;
};

/** Removes fields that a binding of this type does not have (guides/design/agents.md, "Bindings"). */
export const keepWhatTypeStores = (binding: AgentBinding): AgentBinding => ({
  ...binding,
  assistantId: binding.agentType === 'langgraph' ? binding.assistantId : null,
  agentId: binding.agentType === 'mastra' && binding.direction === 'outbound' ? binding.agentId : null,
});

/** Whether a binding for inbound calls lacks its LangGraph assistant (guides/design/agents.md, "LangGraph"). */
export const lacksAssistant = (binding: AgentBinding): boolean =>
  binding.agentType === 'langgraph' && binding.assistantId === null && canTakeCalls(binding);

/** Whether the agent can take calls. An endpoint without a type or chat URL cannot. */
export const canTakeCalls = (binding: AgentBinding): boolean =>
  binding.agent === 'builtin' ||
  (binding.agentType !== null && binding.chatUrl !== null && binding.chatUrl !== '');
