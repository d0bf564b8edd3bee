/** Health of a synthesizer: its circuit breaker and the log. */
import type { Logger } from 'pino';
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { UnspokenLanguage, VoiceRefused } from './engine-failure.ts';
import { piecesOf, wholeAudio } from './sample-reader.ts';

/**
 * Reports each attempt, success and failure of a synthesizer to its breaker, and logs failures, also those of voice
 * samples. A refused voice, an unsupported language and an aborted sentence are no failures of the engine.
 *
 * Belongs below the cache of sentences: a cached sentence is no attempt and no success of the engine, and a sentence that
 * several calls share fails once.
 */
export const reportHealth = (
  engine: Synthesizer,
  {
    voice,
    breaker,
    logger,
  }: {
    /** The chosen voice, which the engine may refuse; `null` for the engine's default voice. */
    voice: string | null;
    breaker: CircuitBreaker;
    logger: Logger;
  },
): Synthesizer => {
  const isFailure = (error: unknown): boolean =>
    !(error instanceof UnspokenLanguage || (voice !== null && error instanceof VoiceRefused));

  async function* stream(text: string, language: string, signal?: AbortSignal): AsyncGenerator<Audio> {
    // Counts as the attempt after a cool-down. The engine speaks in any case: without another engine it is the only one.
    breaker.mayTry();
    try {
      for await (const audio of piecesOf(engine, text, language, signal)) {
        breaker.worked();
        yield audio;
      }
    } catch (error) {
      if (signal?.aborted !== true && isFailure(error)) {
        breaker.failed();
        logger.warn({ engine: engine.name, language, err: error }, 'a synthesizer failed');
      }
      throw error;
    }
  }

  return {
    name: engine.name,
    stream,
    synthesize: (text, language, signal) => wholeAudio(stream(text, language, signal)),
  };
};
