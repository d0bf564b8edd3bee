/** Settings of the built-in agent in the admin API (guides/design/agents.md, "The built-in agent"). */
import * as z from 'zod';
import { builtInTools, longestPrompt, type BuiltInSettings } from '#src/domain/agent-binding.ts';
import { text } from '../fields.ts';

export const builtInFields = {
  model: text(200).nullable().meta({
    description:
      "Model of the built-in agent, one of the operator's (`language_models` of the engines); null for the first. Stored for `builtin` only.",
    example: null,
  }),
  prompt: text(longestPrompt).nullable().meta({
    description:
      "Instructions for the built-in agent's model, added to the gateway's own: who it is, what it knows, what it may promise. Null: only the gateway's. Stored for `builtin` only.",
    example: null,
  }),
  tools: z
    .array(z.enum(builtInTools))
    .nullable()
    .meta({
      description:
        'Actions that the model of the built-in agent may take: end the call, send DTMF digits, collect digits of the other party, transfer the call (to `transfer_to` only). Null: all, also those of later versions; an empty list: it only talks. Stored for `builtin` only.',
      example: ['hang_up', 'transfer_call'],
    }),
};

/** Returns the settings of the built-in agent as they are stored: an empty text as null, each tool once. */
export const builtInIn = (body: {
  [Name in keyof BuiltInSettings]?: BuiltInSettings[Name] | undefined;
}): BuiltInSettings => ({
  model: body.model || null,
  prompt: body.prompt?.trim() || null,
  tools: body.tools ? builtInTools.filter((tool) => body.tools?.includes(tool)) : null,
});
