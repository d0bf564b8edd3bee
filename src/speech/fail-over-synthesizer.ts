/**
 * Synthesizers in order of preference, combined into one. When the first one fails, the next one speaks; a failed
 * engine cools down for all calls that share its breaker.
 */
import type { Logger } from 'pino';
import type { Audio, Synthesizer } from '#sip/speech.ts';
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { UnspokenLanguage } from './engine-failure.ts';
import { piecesOf, wholeAudio } from './sample-reader.ts';

export const failOverSynthesizer = (
  candidates: readonly { engine: Synthesizer; breaker: CircuitBreaker }[],
  { logger }: { logger: Logger },
): Synthesizer => {
  /** Engines that cool down are tried last: a small chance is better than silence. */
  function* inOrder() {
    const cooling = [];
    for (const candidate of candidates) {
      if (candidate.breaker.mayTry()) yield candidate;
      else cooling.push(candidate);
    }
    yield* cooling;
  }

  async function* stream(text: string, language: string, signal?: AbortSignal): AsyncGenerator<Audio> {
    const failures: unknown[] = [];
    for (const { engine, breaker } of inOrder()) {
      let hasSpoken = false;
      try {
        for await (const audio of piecesOf(engine, text, language, signal)) {
          hasSpoken = true;
          breaker.worked();
          yield audio;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error);
        if (error instanceof UnspokenLanguage) continue;
        breaker.failed();
        logger.warn({ engine: engine.name, language, err: error }, 'a synthesizer failed');
        // Another engine would restart the sentence in another voice.
        if (hasSpoken) throw error;
      }
    }
    throw new Error('No synthesizer could speak a sentence', { cause: failures.at(-1) });
  }

  return {
    name: candidates.map(({ engine }) => engine.name).join(', '),
    stream,
    synthesize: (text, language, signal) => wholeAudio(stream(text, language, signal)),
  };
};
