import { randomUUID } from 'node:crypto';
import { keepWhatTypeStores } from '#src/domain/agent-binding.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import { agentContext } from '#src/domain/agent-context.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';

const inventedNumber = '07000000000';
const inventedCounterparty = '01000000001';

/** The call that it would be. */
export const callOf = (request: TrialRequest): AgentCall => ({
  context: agentContext({
    id: randomUUID(),
    direction: request.direction,
    ownNumber: request.ownNumber ?? inventedNumber,
    counterparty: inventedCounterparty,
    language: request.language,
  }),
  binding: keepWhatTypeStores({
    direction: request.direction,
    agent: request.agentType === 'builtin' ? 'builtin' : 'endpoint',
    agentType: request.agentType === 'builtin' ? null : request.agentType,
    chatUrl: request.chatUrl,
    assistantId: request.assistantId,
    agentId: request.agentId,
  }),
  bearerToken: request.token,
  instruction: request.instruction,
});

/** What a binding would not have stored (guides/design/agents.md, "Bindings"). */
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

/** What the other party says, the kickoff included. */
export const messagesOf = ({ direction, instruction, say }: TrialRequest): string[] => [
  ...(direction === 'outbound' ? [kickoffFor(instruction)] : []),
  ...say,
];
