/** Speech synthesis by OpenAI-compatible servers (platform.openai.com, "Create speech", POST /audio/speech). */
import type { Synthesizer } from '#sip/audio/speech.ts';
import type { EngineWorld } from './engine-world.ts';
import { serverSynthesizer } from './server-synthesizer.ts';

/** Sample rate of the response format `pcm`. */
const sampleRate = 24_000;

/**
 * Creates the synthesizer. `url` is the server's base, such as https://api.openai.com/v1. `key` is `null` for servers
 * without authentication. `usualVoice` is used if `voice` is `null`.
 */
export const openaiSpeech = (
  world: EngineWorld,
  options: { url: string; key: string | null; model: string; usualVoice: string; voice: string | null },
): Synthesizer =>
  serverSynthesizer(world, {
    name: 'openai-speech',
    sampleRate,
    hasChosenVoice: options.voice !== null,
    request: (text) => ({
      url: `${options.url}/audio/speech`,
      headers: options.key === null ? {} : { authorization: `Bearer ${options.key}` },
      body: {
        model: options.model,
        input: text,
        voice: options.voice ?? options.usualVoice,
        response_format: 'pcm',
      },
    }),
  });
