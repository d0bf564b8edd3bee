/** Deepgram's voices (developers.deepgram.com, "Text to Speech REST", POST /v1/speak). */
import type { Synthesizer } from '#sip/speech.ts';
import { baseLanguage } from './base-language.ts';
import { UnspokenLanguage } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import { serverSynthesizer } from './server-synthesizer.ts';

const name = 'deepgram-aura';
/** What a telephone carries. */
const sampleRate = 8_000;

/** A voice speaks one language. */
const voices: Readonly<Record<string, string>> = { en: 'aura-2-thalia-en', ja: 'aura-2-izanami-ja' };

/** `url` is the server's base, such as https://api.deepgram.com. */
export const deepgramAura = (world: EngineWorld, options: { url: string; key: string }): Synthesizer =>
  serverSynthesizer(world, {
    name,
    sampleRate,
    request(text, language) {
      const voice = voices[baseLanguage(language)];
      if (voice === undefined) throw new UnspokenLanguage(name, language);
      return {
        url: `${options.url}/v1/speak?model=${voice}&encoding=linear16&container=none&sample_rate=${sampleRate}`,
        headers: { authorization: `Token ${options.key}` },
        body: { text },
      };
    },
  });
