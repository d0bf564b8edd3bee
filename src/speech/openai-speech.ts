/** Any server that speaks as OpenAI's does (platform.openai.com, "Create speech", POST /audio/speech). */
import type { Synthesizer } from '#sip/speech.ts';
import type { EngineWorld } from './engine-world.ts';
import { serverSynthesizer } from './server-synthesizer.ts';

/** The rate of `response_format: pcm`. */
const sampleRate = 24_000;

/** `url` is the server's base, such as https://api.openai.com/v1; `key` is `null` for a server that wants none. */
export const openaiSpeech = (
  world: EngineWorld,
  options: { url: string; key: string | null; model: string; voice: string },
): Synthesizer =>
  serverSynthesizer(world, {
    name: 'openai-speech',
    sampleRate,
    request: (text) => ({
      url: `${options.url}/audio/speech`,
      headers: options.key === null ? {} : { authorization: `Bearer ${options.key}` },
      body: { model: options.model, input: text, voice: options.voice, response_format: 'pcm' },
    }),
  });
