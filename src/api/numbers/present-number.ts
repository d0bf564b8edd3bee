import type * as z from 'zod';
import { policySettings } from '#src/administration/policy-settings.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import { agentBindingsOf, type AgentBindingRecord } from '#src/persistence/agent-bindings.ts';
import { findNumberKey } from '#src/persistence/number-keys.ts';
import type { NumberRecord } from '#src/persistence/numbers.ts';
import type { ApiServices } from '../api-services.ts';
import type { agentBinding, number as numberSchema } from './number-schema.ts';

export const presentBinding = (binding: AgentBindingRecord): z.output<typeof agentBinding> => ({
  agent: binding.agent,
  agent_type: binding.agentType,
  chat_url: binding.chatUrl,
  assistant_id: binding.assistantId,
  agent_id: binding.agentId,
  token_configured: binding.tokenConfigured,
});

/** With its agents, and whether it has a key. */
export const presentNumber = async (
  { database }: Pick<ApiServices, 'database'>,
  number: NumberRecord,
  timeZone: string,
): Promise<z.output<typeof numberSchema>> => {
  const [bindings, key] = await Promise.all([
    agentBindingsOf(database, number.id),
    findNumberKey(database, number.id),
  ]);
  return {
    id: number.id,
    number: number.number,
    language: number.language,
    ...policySettings(number),
    greeting: number.greeting,
    voicemail: number.voicemail,
    voicemail_message: number.voicemailMessage,
    trunk_id: number.trunkId,
    recognizer: number.recognizer,
    synthesizer: number.synthesizer,
    voice: number.voice,
    agents: { inbound: presentBinding(bindings.inbound), outbound: presentBinding(bindings.outbound) },
    inbound_auth: { method: number.inboundAuthMethod, url: number.inboundAuthUrl },
    key:
      key === undefined
        ? null
        : { issued_at: timestampIn(timeZone, key.issuedAt), recoverable: key.keySealed !== null },
    created_at: timestampIn(timeZone, number.createdAt),
  };
};
