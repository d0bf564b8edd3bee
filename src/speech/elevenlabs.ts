/** ElevenLabs (elevenlabs.io/docs, "Stream speech", POST /v1/text-to-speech/{voice_id}/stream). */
import type { Synthesizer } from '#sip/audio/speech.ts';
import { baseLanguage } from '#src/domain/language.ts';
import type { EngineWorld } from './engine-world.ts';
import { serverSynthesizer } from './server-synthesizer.ts';

const sampleRate = 16_000;
/**
 * The model with the lowest latency. Each voice speaks all languages of the model, including Korean, English and
 * Japanese.
 */
const model = 'eleven_flash_v2_5';

/**
 * Creates the synthesizer. `url` is the server's base, such as https://api.elevenlabs.io. `usualVoice` is used if
 * `voice` is `null`.
 */
export const elevenLabs = (
  world: EngineWorld,
  options: { url: string; key: string; usualVoice: string; voice: string | null },
): Synthesizer =>
  serverSynthesizer(world, {
    name: 'elevenlabs',
    sampleRate,
    hasChosenVoice: options.voice !== null,
    request: (text, language) => ({
      url: `${options.url}/v1/text-to-speech/${encodeURIComponent(options.voice ?? options.usualVoice)}/stream?output_format=pcm_${sampleRate}`,
      headers: { 'xi-api-key': options.key },
      body: { text, model_id: model, language_code: baseLanguage(language) },
    }),
  });
