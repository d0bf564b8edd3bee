import * as z from 'zod';
import { chooseSpeech } from '#src/administration/choose-speech.ts';
import { languages } from '#src/domain/language.ts';
import { audit } from '../http/audit.ts';
import { text } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

export const speakSample = defineRoute({
  method: 'post',
  path: '/api/v1/admin/engines/sample',
  operationId: 'speakSample',
  tag: 'Numbers',
  summary: 'Listen to a voice',
  description:
    'Speaks a short text with one synthesizer, without failover to another one. At most two run at once; more are refused with `over_capacity`.',
  auth: 'admin',
  body: z.object({
    synthesizer: text(100).nullable().optional().meta({
      description: 'One of `GW_SYNTHESIZERS`; null for the first.',
      example: 'espeak-ng',
    }),
    voice: text(100).nullable().optional().meta({
      description: 'A voice of this synthesizer; null for its default.',
      example: 'en-us',
    }),
    language: z.enum(languages).meta({ example: 'en' }),
    text: text(200).meta({ example: 'Good morning, this is the front desk.' }),
  }),
  responses: {
    200: { description: 'The sound, 16-bit mono.', media: ['audio/wav'] },
  },
  refusals: ['over_capacity', 'service_unavailable'],
}).handledBy(async ({ caller, body }, services) => {
  const { synthesizer = null, voice = null, language, text: words } = body;
  chooseSpeech(
    services.directory.engines,
    { synthesizer, voice, recognizer: null },
    { synthesizer: null, voice: null },
  );
  const wav = await services.directory.voiceSamples.speak({ synthesizer, voice, language, text: words });
  await audit(services, caller, {
    action: 'voice.heard',
    subject: `workspace:${caller.workspace.id}`,
    detail: { synthesizer, voice, language },
  });
  return { status: 200, media: 'audio/wav', body: wav };
});
