/** The agent of a suite, which speaks in the calls of the suite; the agents of the number stay as they are stored. */
import {
  keepWhatTypeStores,
  lacksAssistant,
  usualBuiltIn,
  type AgentBinding,
} from '#src/domain/agent-binding.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Suite } from './suite-schema.ts';

export type SuiteAgent = NonNullable<Suite['agent']>;

/** Returns the binding of the suite's agent for calls in this direction. */
export const bindingOf = (agent: SuiteAgent, direction: AgentBinding['direction']): AgentBinding => {
  const settings = agent === 'builtin' ? undefined : agent;
  return keepWhatTypeStores({
    ...usualBuiltIn,
    direction,
    agent: settings === undefined ? 'builtin' : 'endpoint',
    agentType: settings?.agent_type ?? null,
    chatUrl: settings?.chat_url ?? null,
    assistantId: settings?.assistant_id ?? null,
    agentId: settings?.agent_id ?? null,
    controls: settings?.controls ?? 'off',
  });
};

/** Refuses an agent that cannot take calls. */
export const requireUsable = (agent: SuiteAgent): void => {
  if (lacksAssistant(bindingOf(agent, 'inbound')))
    throw invalidField({ path: 'suite', message: 'A LangGraph agent needs an assistant_id.' });
};
