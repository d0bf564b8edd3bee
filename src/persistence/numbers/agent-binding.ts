import { defineEntity, p } from '@mikro-orm/core';
import { agentTypes, controlModes, type BuiltInTool } from '#src/domain/agent-binding.ts';
import type { SealedHeaders } from '#src/domain/agent-headers.ts';
import { PhoneNumber } from './phone-number.ts';

/** The agent of a number in one direction. A direction without a row has the built-in agent. */
export const AgentBinding = defineEntity({
  name: 'AgentBinding',
  tableName: 'agent_binding',
  properties: {
    numberId: () => p.manyToOne(PhoneNumber).mapToPk().primary().fieldName('number_id'),
    direction: p.enum(['inbound', 'outbound']).primary(),
    agent: p.enum(['builtin', 'endpoint']),
    agentType: p.enum(agentTypes).nullable(),
    chatUrl: p.text().nullable(),
    assistantId: p.text().nullable(),
    agentId: p.text().nullable(),
    controls: p.enum(controlModes).default('off'),
    /** Settings of the built-in agent; null for the gateway's defaults. */
    model: p.text().nullable(),
    prompt: p.text().nullable(),
    tools: p.json<BuiltInTool[]>().nullable(),
    tokenSealed: p.text().nullable(),
    /** Headers for the agent; each value is sealed with the number's id. */
    headersSealed: p.json().$type<SealedHeaders>().default('{}'),
  },
});
