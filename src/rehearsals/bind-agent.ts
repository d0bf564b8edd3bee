/** Binds the agent of a suite to the suite's number and restores the previous binding afterwards. */
import {
  keepWhatTypeStores,
  lacksAssistant,
  usualBuiltIn,
  type AgentBinding,
} from '#src/domain/agent-binding.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Suite } from './suite-schema.ts';

const directions = ['inbound', 'outbound'] as const;

type StoredBinding = AgentBinding & { tokenConfigured: boolean; headers: object };

export type StoredBindings = Readonly<Record<(typeof directions)[number], StoredBinding>>;

/** Whether the binding has stored secrets, which are sent to whichever endpoint the binding names. */
const hasSecrets = ({ tokenConfigured, headers }: StoredBinding): boolean =>
  tokenConfigured || Object.keys(headers).length > 0;

const bindingOf = (
  agent: NonNullable<Suite['agent']>,
  direction: AgentBinding['direction'],
): AgentBinding => {
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

/**
 * Refuses an agent that cannot be bound. Bindings with a token or headers are not replaced, because the suite's agent
 * would receive these secrets.
 */
export const requireBindable = (before: StoredBindings, agent: NonNullable<Suite['agent']>): void => {
  if (directions.some((direction) => hasSecrets(before[direction])))
    throw invalidField({
      path: 'suite',
      message:
        'The agent of this number has a token or headers, which the agent of the suite would get: use another number.',
    });
  if (lacksAssistant(bindingOf(agent, 'inbound')))
    throw invalidField({ path: 'suite', message: 'A LangGraph agent needs an assistant_id.' });
};

/** Binds the suite's agent. Resolves to a function that restores the bindings. */
export const bindAgent = async (
  before: StoredBindings,
  agent: NonNullable<Suite['agent']>,
  put: (binding: AgentBinding) => Promise<unknown>,
): Promise<() => Promise<void>> => {
  for (const direction of directions) await put(bindingOf(agent, direction));
  return async () => {
    for (const direction of directions) {
      const { tokenConfigured: _token, headers: _headers, ...binding } = before[direction];
      await put(binding);
    }
  };
};
