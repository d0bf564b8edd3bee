/** Finds the synthesizer of this machine: espeak-ng if it is installed, else flite for English, else tones. */
import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import type { Synthesizer } from '#sip/audio/speech.ts';
import { once } from '#src/domain/once.ts';
import { atMost } from './at-most.ts';
import { espeakNg } from './espeak-ng.ts';
import { flite } from './flite.ts';
import { isInstalled } from './run-program.ts';
import { rememberSentences } from './remember-sentences.ts';
import { toneSynthesizer } from './tone-synthesizer.ts';

/**
 * Combines two synthesizers: `second` speaks the languages that `first` cannot speak. The first use of `second` is
 * logged.
 */
const withFallback = (first: Synthesizer, second: Synthesizer, logger: Logger): Synthesizer => {
  const tell = once((language: string, error: unknown) =>
    logger.warn({ engine: first.name, instead: second.name, language, err: error }, 'a synthesizer failed'),
  );
  return {
    name: first.name,
    async synthesize(text, language, signal) {
      try {
        return await first.synthesize(text, language, signal);
      } catch (error) {
        signal?.throwIfAborted();
        tell(language, error);
        return second.synthesize(text, language, signal);
      }
    },
  };
};

/** Limits flite to English, the only language that it speaks. */
const englishOnly = (english: Synthesizer, others: Synthesizer): Synthesizer => ({
  name: english.name,
  synthesize: (text, language, signal) =>
    (language.startsWith('en') ? english : others).synthesize(text, language, signal),
});

/** Size of the cache in bytes: about six minutes of audio over all sentences. */
const rememberedBytes = 16 * 1024 * 1024;

/** Checks once which programs are installed. `path` is the search path for programs. */
export const findSynthesizer = async (options: { logger: Logger; path: string }): Promise<Synthesizer> => {
  const { logger, path } = options;
  const remembering = (engine: Synthesizer): Synthesizer =>
    rememberSentences(rememberedBytes)(atMost(availableParallelism())(engine), null);
  const fallback = toneSynthesizer();
  if (await isInstalled('espeak-ng', path)) return withFallback(remembering(espeakNg()), fallback, logger);
  if (await isInstalled('flite', path)) {
    return englishOnly(withFallback(remembering(flite()), fallback, logger), fallback);
  }
  logger.warn(
    'no synthesizer is installed: recordings of simulated calls carry tones in the rhythm of the words instead of voices (install espeak-ng for voices)',
  );
  return fallback;
};
