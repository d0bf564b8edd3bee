import * as z from 'zod';
import { requireModel } from '#src/administration/choose-model.ts';
import { tooManyHeaders } from '#src/administration/number-agents.ts';
import { numberOf, type NumberRecord } from '#src/administration/administer-numbers.ts';
import { usualBuiltIn, type BuiltInSettings } from '#src/domain/agent-binding.ts';
import { changedHeaders, mostAgentHeaders } from '#src/domain/agent-headers.ts';
import { trialAgents } from '#src/domain/agent-trial.ts';
import { invalidField } from '#src/domain/refusal.ts';
import { audit } from '../http/audit.ts';
import type { Decoded } from '../http/codec.ts';
import { agentHeaders, headerChanges } from '../agent-headers-field.ts';
import { language, text } from '../fields.ts';
import type { ApiServices } from '../api-services.ts';
import { builtInFields, builtInIn } from '../numbers/built-in-fields.ts';
import { agentControls } from '../numbers/number-schema.ts';
import { defineRoute } from '../http/route.ts';
import { requireUsableUrl } from '../usable-url.ts';
import { agentTrial } from './trial-schema.ts';

const trialRequest = z
  .strictObject({
    agent_type: z.enum(trialAgents).meta({
      description: "`builtin`: the built-in agent, with the operator's language model if configured.",
    }),
    chat_url: text(2048).min(1).nullish().meta({
      description:
        'https; http for this machine alone, where GW_AGENT_ALLOW_LOOPBACK allows it. Required except for `builtin`.',
    }),
    assistant_id: text(500).nullish().meta({ description: 'For `langgraph`.' }),
    agent_id: text(500).nullish().meta({ description: 'For outbound `mastra`.' }),
    controls: agentControls
      .optional()
      .meta({ description: 'Controls of the agent, as in a binding. Default: `off`.' }),
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
          "Sent as a bearer token. If absent, an outbound trial for a number sends the number's stored token, if `chat_url` is on the server it is stored for; null or empty sends none.",
      }),
    headers: agentHeaders.nullish().meta({
      description:
        "Your own headers on every request, as in a binding. A trial for a number also sends the number's stored ones, if `chat_url` is on the server they are stored for; a header given here replaces the stored one, null or empty leaves it out, and null instead of the object leaves out all.",
    }),
    number_id: z.uuid().nullish().meta({
      description:
        'Number whose digits, language, token and headers are used, and those settings of its built-in agent that are absent here.',
    }),
    direction: z.enum(['inbound', 'outbound']).default('inbound'),
    language: language.optional().meta({ description: "Default: the number's, or `ko`." }),
    instruction: text(8000).nullish().meta({ description: 'Outbound only: the task in the kickoff.' }),
    say: z.array(text(2000).min(1)).max(5).default([]).meta({
      description: "The other party's words, turn by turn. Outbound, the kickoff comes before them.",
    }),
  })
  .meta({
    example: {
      agent_type: 'webhook',
      chat_url: 'https://agents.example.com/chat',
      language: 'en',
      say: ['What are your hours?'],
    },
  });

export const tryAgent = defineRoute({
  method: 'post',
  path: '/api/v1/admin/agents/try',
  operationId: 'tryAgent',
  tag: 'Numbers',
  summary: 'Try an agent',
  description:
    'Talks to an agent endpoint, or to the built-in agent, without a call: with the same requests, limits and sentences as in a call. Returns what was sent, what came back, what would be spoken and when, and advice if something is wrong. Takes at most a minute.',
  auth: 'admin',
  body: trialRequest,
  responses: { 200: { description: 'The result; also of a failed trial.', schema: agentTrial } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, body }, services) => {
  const { agentType, direction } = body;
  const chatUrl = agentType === 'builtin' ? null : (body.chatUrl ?? null);
  if (direction === 'inbound' && body.instruction) {
    throw invalidField({ path: 'instruction', message: 'An inbound call has no instruction.' });
  }
  if (direction === 'inbound' && body.say.length === 0) {
    throw invalidField({ path: 'say', message: 'An inbound call begins with what the caller says.' });
  }
  if (chatUrl !== null) await requireUsableUrl(services, 'chat_url', chatUrl);
  else if (agentType !== 'builtin') {
    throw invalidField({ path: 'chat_url', message: 'An agent endpoint has a chat URL.' });
  }
  const number = body.numberId
    ? await numberOf(services.directory.administrator(caller), body.numberId)
    : undefined;
  const builtIn = await builtInSettingsFor(services, body, number);
  const stored = await storedSecretsFor(services, body, chatUrl);
  const headers = changedHeaders(stored.headers, headerChanges(body.headers));
  if (Object.keys(headers).length > mostAgentHeaders) throw tooManyHeaders();
  const trial = await services.directory.tryAgent(
    {
      agentType,
      chatUrl,
      assistantId: body.assistantId || null,
      agentId: body.agentId || null,
      controls: body.controls ?? 'off',
      ...builtIn,
      token: body.token || stored.token,
      headers,
      direction,
      language: body.language ?? number?.language ?? 'ko',
      instruction: body.instruction || null,
      say: body.say,
      ...(number === undefined ? {} : { ownNumber: number.number, transferTo: number.transferTo ?? [] }),
    },
    caller.workspace.id,
  );
  await audit(services, caller, {
    action: 'agent.tried',
    subject: number === undefined ? `workspace:${caller.workspace.id}` : `number:${number.id}`,
    detail: {
      direction,
      agent_type: agentType,
      host: chatUrl === null ? null : new URL(chatUrl).host,
      stored_token_used: stored.token !== null,
      headers: Object.keys(headers).toSorted(),
      ok: trial.ok,
    },
  });
  return { status: 200, body: trial };
});

/** Returns the settings of the built-in agent: those of the request, else those of the number. */
const builtInSettingsFor = async (
  { directory }: ApiServices,
  body: Decoded<z.output<typeof trialRequest>>,
  number: NumberRecord | undefined,
): Promise<BuiltInSettings> => {
  if (body.agentType !== 'builtin') return usualBuiltIn;
  const stored =
    number === undefined
      ? usualBuiltIn
      : (await directory.readDetails([number]))(number).agents[body.direction];
  const { model = stored.model, prompt = stored.prompt, tools = stored.tools } = body;
  const wanted = builtInIn({ model, prompt, tools });
  if (body.model !== undefined) requireModel(directory.engines, wanted.model);
  return wanted;
};

/** Adds the stored token to the trial if the request asks for it, and the stored headers. */
const storedSecretsFor = async (
  services: ApiServices,
  { numberId, token, direction }: Decoded<z.output<typeof trialRequest>>,
  chatUrl: string | null,
): ReturnType<ApiServices['directory']['secretsFor']> => {
  if (!numberId || chatUrl === null) return { token: null, headers: {} };
  const stored = await services.directory.secretsFor(numberId, { direction, chatUrl });
  return { ...stored, token: token === undefined ? stored.token : null };
};
