/**
 * Applies the voice that a number chose. If the engine refuses it, the engine's default voice speaks for the rest of
 * the call; the engine's breaker is not affected.
 */
import type { Logger } from 'pino';
import type { Synthesizer } from '#sip/speech.ts';
import { UnspokenLanguage, VoiceRefused } from './engine-failure.ts';
import { piecesOf, wholeAudio } from './sample-reader.ts';

/** One per call. */
export const chosenVoice = (chosen: Synthesizer, usual: Synthesizer, logger: Logger): Synthesizer => {
  let current = chosen;

  const stream: NonNullable<Synthesizer['stream']> = async function* (text, language, signal) {
    if (current === chosen) {
      try {
        yield* piecesOf(chosen, text, language, signal);
        return;
      } catch (error) {
        if (!(error instanceof VoiceRefused || error instanceof UnspokenLanguage)) throw error;
        if (current === chosen)
          logger.warn({ engine: chosen.name, language, err: error }, 'a chosen voice is not used');
        current = usual;
      }
    }
    yield* piecesOf(usual, text, language, signal);
  };

  return {
    name: chosen.name,
    stream,
    synthesize: (text, language, signal) => wholeAudio(stream(text, language, signal)),
  };
};
