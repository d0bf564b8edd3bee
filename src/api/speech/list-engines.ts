import * as z from 'zod';
import { languages } from '#src/domain/language.ts';
import { defineRoute } from '../http/route.ts';

const voice = z
  .object({
    name: z.string().meta({ description: 'For `voice` of a number.', example: 'en-us' }),
    language: z.string().meta({ description: 'BCP 47.', example: 'en-us' }),
    title: z.string().meta({ description: 'Pages for people.', example: 'English (America)' }),
  })
  .meta({ id: 'Voice' });

const recognizer = z
  .object({
    name: z.string().meta({ example: 'vosk' }),
    languages: z
      .array(z.enum(languages))
      .optional()
      .meta({
        description:
          'The supported languages, among those of numbers. Absent if it may support all of them. A call in a language without a recognizer is not understood.',
        example: ['en'],
      }),
  })
  .meta({ id: 'RecognizerWithLanguages' });

const synthesizer = z
  .object({
    name: z.string().meta({ example: 'espeak-ng' }),
    voices: z.array(voice).nullable().meta({
      description:
        'Its languages, among those of the gateway; null if the engine does not list them. It may have others.',
    }),
  })
  .meta({ id: 'SynthesizerWithVoices' });

export const listEngines = defineRoute({
  method: 'get',
  path: '/api/v1/admin/engines',
  operationId: 'listEngines',
  tag: 'Numbers',
  summary: 'List speech engines, voices and models',
  description:
    'Possible values of `recognizer`, `synthesizer` and `voice` of a number: the engines of `GW_RECOGNIZERS` and `GW_SYNTHESIZERS` in order, with voices if the engine lists them; and of `model` of a built-in agent.',
  auth: 'viewer',
  responses: {
    200: {
      description: 'The engines.',
      schema: z.object({
        recognizers: z.array(recognizer),
        synthesizers: z.array(synthesizer),
        language_models: z.array(z.string()).meta({
          description:
            'Models that a built-in agent may use (`GW_LLM_MODEL`, `GW_LLM_MODELS`), the default first; empty without a language model.',
          example: ['gpt-4o-mini', 'gpt-4o'],
        }),
      }),
    },
  },
  refusals: [],
}).handledBy(async (_, { directory: { engines, voiceSamples }, operation: { logger } }) => {
  const voicesOf = async (name: string) => {
    try {
      return await voiceSamples.voicesOf(name);
    } catch (error) {
      logger.warn({ engine: name, err: error }, 'the voices of a synthesizer could not be listed');
      return null;
    }
  };
  const synthesizers = await Promise.all(
    engines.synthesizers.map(async (name) => ({
      name,
      voices: (await voicesOf(name))?.map((each) => ({ ...each })) ?? null,
    })),
  );
  const recognizers = engines.recognizers.map((name) => {
    const understood = engines.languagesOf?.(name) ?? languages;
    return understood.length === languages.length ? { name } : { name, languages: [...understood] };
  });
  return {
    status: 200,
    body: { recognizers, synthesizers, languageModels: [...engines.languageModels] },
  };
});
