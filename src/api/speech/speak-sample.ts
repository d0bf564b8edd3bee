import * as z from 'zod';
import { chooseSpeech } from '#src/administration/choose-speech.ts';
import { languages } from '#src/domain/language.ts';
import { audit } from '../audit.ts';
import { text } from '../fields.ts';
import { defineRoute } from '../route.ts';

export const speakSample = defineRoute({
  method: 'post',
  path: '/api/v1/admin/engines/sample',
  operationId: 'speakSample',
  tag: 'Numbers',
  summary: 'Hear a voice',
  description:
    'Has a synthesizer speak a short text, for who chooses a voice; another engine does not stand in for it. Two are spoken at once, others are refused with `over_capacity`.',
  auth: 'admin',
  body: z.object({
    synthesizer: text(100).nullable().optional().meta({
      description: 'One of `GW_SYNTHESIZERS`; null for the first.',
      example: 'espeak-ng',
    }),
    voice: text(100).nullable().optional().meta({
      description: 'A voice of this synthesizer; null for its usual one.',
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
    services.engines,
    { synthesizer, voice, recognizer: null },
    { synthesizer: null, voice: null },
  );
  const wav = await services.voiceSamples.speak({ synthesizer, voice, language, text: words });
  await audit(services, caller, {
    action: 'voice.heard',
    subject: `workspace:${caller.workspace.id}`,
    detail: { synthesizer, voice, language },
  });
  return { status: 200, media: 'audio/wav', body: wav };
});
