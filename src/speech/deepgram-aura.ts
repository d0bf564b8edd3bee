/** Deepgram's voices (developers.deepgram.com, "Text to Speech REST", POST /v1/speak). */
import type { Synthesizer } from '#sip/audio/speech.ts';
import { baseLanguage } from '#src/domain/language.ts';
import { UnspokenLanguage } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import { serverSynthesizer } from './server-synthesizer.ts';

const name = 'deepgram-aura';
/** Sample rate of telephone audio. */
const sampleRate = 8_000;

/** Default voices by language. A voice speaks one language, which the end of its name states. */
const voices: Readonly<Record<string, string>> = { en: 'aura-2-thalia-en', ja: 'aura-2-izanami-ja' };

/**
 * Creates the synthesizer. `url` is the server's base, such as https://api.deepgram.com. `voice` is a model such as
 * `aura-2-thalia-en`, or `null` for the language's default.
 */
export const deepgramAura = (
  world: EngineWorld,
  options: { url: string; key: string; voice: string | null },
): Synthesizer =>
  serverSynthesizer(world, {
    name,
    sampleRate,
    hasChosenVoice: options.voice !== null,
    request(text, language) {
      const base = baseLanguage(language);
      const voice = options.voice ?? voices[base];
      if (voice === undefined || !voice.endsWith(`-${base}`)) throw new UnspokenLanguage(name, language);
      return {
        url: `${options.url}/v1/speak?model=${encodeURIComponent(voice)}&encoding=linear16&container=none&sample_rate=${sampleRate}`,
        headers: { authorization: `Token ${options.key}` },
        body: { text },
      };
    },
  });
