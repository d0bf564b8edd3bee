/** The agent of a number in one direction (guides/design/agents.md, "Bindings"). */
import type { Direction } from '#machines/line.ts';

export const agentTypes = ['webhook', 'openai_compatible', 'n8n', 'langgraph', 'mastra'] as const;

export type AgentType = (typeof agentTypes)[number];

/** Kinds of agents: the built-in agent, or the type of the customer's endpoint. */
export const agentKinds = ['builtin', ...agentTypes] as const;

export type AgentKind = (typeof agentKinds)[number];

/** Whether the agent may write controls in its replies: `inline` (guides/design/agents.md, "Controls"). */
export const controlModes = ['off', 'inline'] as const;

export type ControlMode = (typeof controlModes)[number];

/** Tools of the built-in agent in the order in which they are offered (guides/design/agents.md, "The built-in agent"). */
export const builtInTools = ['hang_up', 'press_keys', 'collect_keys', 'transfer_call'] as const;

export type BuiltInTool = (typeof builtInTools)[number];

/** Maximum length of the built-in agent's instructions, in characters. */
export const longestPrompt = 8_000;

/** Settings of the built-in agent. Null is the gateway's default. */
export type BuiltInSettings = {
  /** Name of a model that the operator offers. */
  model: string | null;
  /** Instructions, which follow those of the gateway. The text may be private: it is never logged or audited. */
  prompt: string | null;
  /** Allowed tools; null allows all. */
  tools: BuiltInTool[] | null;
};

export const usualBuiltIn: BuiltInSettings = { model: null, prompt: null, tools: null };

/** A stored binding without its token. */
export type AgentBinding = BuiltInSettings & {
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
  ...(binding.agent === 'builtin' ? {} : usualBuiltIn),
});

/** Whether a binding for inbound calls lacks its LangGraph assistant (guides/design/agents.md, "LangGraph"). */
export const lacksAssistant = (binding: AgentBinding): boolean =>
  binding.agentType === 'langgraph' && binding.assistantId === null && canTakeCalls(binding);

/** Whether the agent can take calls. An endpoint without a type or chat URL cannot. */
export const canTakeCalls = (binding: AgentBinding): boolean =>
  binding.agent === 'builtin' ||
  (binding.agentType !== null && binding.chatUrl !== null && binding.chatUrl !== '');
