import { randomUUID } from 'node:crypto';
import { keepWhatTypeStores } from '#src/domain/agent-binding.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';

const inventedNumber = '07000000000';
const inventedCounterparty = '01000000001';

/** The simulated call. */
export const callOf = ({
  agentType,
  direction,
  language,
  instruction,
  token,
  headers,
  ownNumber = inventedNumber,
  chatUrl,
  assistantId,
  agentId,
  controls,
  transferTo = [],
}: TrialRequest): AgentCall => ({
  context: agentContext({
    id: randomUUID(),
    direction,
    ownNumber,
    counterparty: inventedCounterparty,
    language,
  }),
  binding: keepWhatTypeStores({
    direction,
    chatUrl,
    assistantId,
    agentId,
    controls,
    ...(agentType === 'builtin' ? { agent: 'builtin', agentType: null } : { agent: 'endpoint', agentType }),
  }),
  bearerToken: token,
  headers,
  instruction,
  transferTo,
});

/** Notes on fields that a binding would not store (guides/design/agents.md, "Bindings"). */
export const notesOf = ({ agentId, assistantId, agentType, direction }: TrialRequest): string[] => [
  ...(agentId === null || (agentType === 'mastra' && direction === 'outbound')
    ? []
    : agentType === 'mastra'
      ? [
          'Inbound mastra calls have no agent ID: they go to voiceAssistant, or to the agent at which the chat URL points.',
        ]
      : [`The agent ID is not used: ${agentType} has none.`]),
  ...(assistantId === null || agentType === 'langgraph'
    ? []
    : [`The assistant ID is not used: ${agentType} has none.`]),
];

/** The other party's turns, including the kickoff. */
export const messagesOf = ({ direction, instruction, say }: TrialRequest): string[] => [
  ...(direction === 'outbound' ? [kickoffFor(instruction)] : []),
  ...say,
];
