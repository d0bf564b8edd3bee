import * as z from 'zod';
import { requireModel } from '#src/administration/choose-model.ts';
import { connectAgent } from '#src/administration/number-agents.ts';
import {
  agentTypes,
  keepWhatTypeStores,
  lacksAssistant,
  type AgentBinding,
} from '#src/domain/agent-binding.ts';
import { mostAgentHeaders } from '#src/domain/agent-headers.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Decoded } from '../http/codec.ts';
import { agentHeaders, headerChanges } from '../agent-headers-field.ts';
import { text } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { requireUsableUrl } from '../usable-url.ts';
import { builtInFields, builtInIn } from './built-in-fields.ts';
import { agentBinding, agentControls, numberInPath } from './number-schema.ts';

const binding = z
  .strictObject({
    agent: z.enum(['builtin', 'endpoint']).meta({
      description: '`builtin` needs no server. `endpoint` without a type or a chat URL cannot take calls.',
    }),
    agent_type: z.enum(agentTypes).nullish(),
    chat_url: text(2048).nullish().meta({
      description:
        'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Empty is the same as null.',
    }),
    assistant_id: text(500).nullish().meta({ description: 'For `langgraph`; dropped for every other type.' }),
    agent_id: text(500)
      .nullish()
      .meta({ description: 'For outbound `mastra`; dropped for everything else.' }),
    controls: agentControls.optional().meta({ description: 'Default: `off`.' }),
    model: builtInFields.model.optional(),
    prompt: builtInFields.prompt.optional(),
    tools: builtInFields.tools.optional(),
    token: z
      .string()
      .max(4096)
      .regex(/^[!-~]*$/, { error: 'A token is made of visible ASCII characters.' })
      .nullish()
      .meta({
        description:
          'Outbound only: sent to the agent endpoint as a bearer token. Never shown again. Absent keeps the stored one; null or empty removes it.',
      }),
    headers: agentHeaders.nullish().meta({
      description: `Your own headers on every request to the agent endpoint, such as an API key: at most ${mostAgentHeaders}. Values are never shown again. An absent header is kept, null or empty removes it; null instead of the object removes all. Names are stored in lower case. Not allowed: hop-by-hop headers, \`Host\`, \`Content-*\`, \`Authorization\`, \`X-Gw-*\` and \`traceparent\`.`,
      example: { 'x-api-key': 'key-of-the-server' },
    }),
  })
  .meta({
    example: {
      agent: 'endpoint',
      agent_type: 'langgraph',
      chat_url: 'https://agents.example.com',
      assistant_id: 'front-desk',
      token: 'token-of-the-agent',
      headers: { 'x-api-key': 'key-of-the-server' },
    },
  });

export const putAgent = defineRoute({
  method: 'put',
  path: '/api/v1/admin/numbers/{id}/agents/{direction}',
  operationId: 'putAgent',
  tag: 'Numbers',
  summary: 'Connect an agent',
  description:
    'Replaces the binding of one direction. Only the fields of the agent type are stored. Calls in progress keep the agent that they began with.',
  auth: 'admin',
  params: numberInPath.extend({ direction: z.enum(['inbound', 'outbound']) }),
  body: binding,
  responses: { 200: { description: 'The stored binding.', schema: agentBinding } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const { direction } = params;
  if (direction === 'inbound' && body.token) {
    throw invalidField({
      path: 'token',
      message: 'Inbound has no place for a token. Use the handshake authentication for calls that come in.',
    });
  }
  const wanted = bindingOf(body, direction);
  if (lacksAssistant(wanted))
    throw invalidField({
      path: 'assistant_id',
      message: 'A LangGraph server needs an assistant ID: the name of a graph.',
    });
  requireModel(services.directory.engines, wanted.model);
  if (wanted.chatUrl !== null) await requireUsableUrl(services, 'chat_url', wanted.chatUrl);
  const stored = await connectAgent(services.directory.administrator(caller), params.id, wanted, {
    token: body.token,
    headers: headerChanges(body.headers),
  });
  return { status: 200, body: stored };
});

const bindingOf = (
  body: Decoded<z.output<typeof binding>>,
  direction: AgentBinding['direction'],
): AgentBinding =>
  keepWhatTypeStores({
    direction,
    agent: body.agent,
    agentType: body.agentType ?? null,
    chatUrl: body.chatUrl || null,
    assistantId: body.assistantId || null,
    agentId: body.agentId || null,
    controls: body.controls ?? 'off',
    ...builtInIn(body),
  });
