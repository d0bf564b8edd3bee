/**
 * Speech engines of a call: the number's choice first, then the others in the operator's order. The health of an engine
 * is shared by all calls.
 */
import type { Logger } from 'pino';
import type { Audio, SpeechEngines, Synthesizer } from '#sip/audio/speech.ts';
import { type CircuitBreaker, type CoolDown, createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Voice } from '#src/domain/voice.ts';
import { UnspokenLanguage, VoiceRefused } from './engine-failure.ts';
import { type FailOverNumbers, failOverRecognizer } from './fail-over-recognizer.ts';
import { isVoice } from './is-voice.ts';
import type { RecognitionEngine } from './recognition-engine.ts';
import { piecesOf, wholeAudio } from './sample-reader.ts';

/**
 * Synthesizers in order of preference, combined into one. When the first one fails, the next one speaks. A failed
 * engine cools down for all calls that share its breaker, which `reportHealth` informs.
 */
export const failOverSynthesizer = (
  candidates: readonly { engine: Synthesizer; breaker: Pick<CircuitBreaker, 'remainingMs'> }[],
): Synthesizer => {
  /** Engines that cool down are tried last, because a small chance is better than silence. */
  function* inOrder() {
    const cooling = [];
    for (const candidate of candidates) {
      if (candidate.breaker.remainingMs() === 0) yield candidate;
      else cooling.push(candidate);
    }
    yield* cooling;
  }

  async function* stream(text: string, language: string, signal?: AbortSignal): AsyncGenerator<Audio> {
    const failures: unknown[] = [];
    for (const { engine } of inOrder()) {
      let hasSpoken = false;
      try {
        for await (const audio of piecesOf(engine, text, language, signal)) {
          hasSpoken = true;
          yield audio;
        }
        return;
      } catch (error) {
        signal?.throwIfAborted();
        failures.push(error);
        // The error is final, because another engine would restart the sentence in another voice.
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

// Applies the voice that a number chose. If the engine refuses the voice, the engine's default voice speaks for the
// rest of the call; in a language that the chosen voice does not have, it speaks until the language changes. The
// engine's breaker is not affected.

/** Creates the synthesizer, once for each call. */
export const chosenVoice = (chosen: Synthesizer, usual: Synthesizer, logger: Logger): Synthesizer => {
  let isRefused = false;
  const unspoken = new Set<string>();
  const isReplaced = (language: string): boolean => isRefused || unspoken.has(language);

  const stream: NonNullable<Synthesizer['stream']> = async function* (text, language, signal) {
    if (!isReplaced(language)) {
      try {
        yield* piecesOf(chosen, text, language, signal);
        return;
      } catch (error) {
        const isKnown = isReplaced(language);
        if (error instanceof VoiceRefused) isRefused = true;
        else if (error instanceof UnspokenLanguage) unspoken.add(language);
        else throw error;
        if (!isKnown)
          logger.warn(
            { engine: chosen.name, language, err: error },
            'the engine refused the chosen voice; its default voice speaks',
          );
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

/** An engine with several voices. */
export type VoiceEngine = {
  readonly name: string;
  /** Chosen voice; `null` for the engine's default voice. */
  speakingWith(voice: string | null): Synthesizer;
  /** Resolves to the voices; absent if the engine does not list its voices. */
  voices?(): Promise<Voice[]>;
};

/** An engine whose health is reported to a breaker that all calls share. */
export type GuardedVoiceEngine = VoiceEngine & { readonly breaker: CircuitBreaker };

/** Moves the named engine to the front. */
const ledBy = <Engine extends { name: string }>(
  engines: readonly Engine[],
  name: string | null,
): Engine[] => [
  ...engines.filter((engine) => engine.name === name),
  ...engines.filter((engine) => engine.name !== name),
];

export const createSpeechEngines = (options: {
  /** Recognizers in the operator's order. */
  recognizers: readonly RecognitionEngine[];
  /** Synthesizers in the operator's order; at least one. */
  synthesizers: readonly GuardedVoiceEngine[];
  failOver: FailOverNumbers & { readonly coolDown: CoolDown };
  clock: Clock;
  logger: Logger;
}): SpeechEngines & {
  /** Returns the seconds of callers' speech that no recognizer processed, since the start. */
  lostSeconds(): number;
} => {
  const { failOver, clock, logger } = options;
  let lostAudio = 0;
  const onLost = (seconds: number): void => {
    lostAudio += seconds;
  };
  const recognizers = options.recognizers.map((engine) => ({
    name: engine.name,
    engine,
    breaker: createCircuitBreaker(clock, failOver.coolDown),
  }));
  const { synthesizers } = options;
  const missed = new Set<string>();
  /** Languages of calls that no recognizer supports, so that each is logged once. */
  const deafTo = new Set<string>();

  const noteMissing = (kind: string, engines: readonly { name: string }[], name: string | null): void => {
    const key = `${kind} ${name}`;
    if (name === null || missed.has(key) || engines.some((engine) => engine.name === name)) return;
    missed.add(key);
    logger.warn(
      { engine: name },
      `a number chose a ${kind} that is no longer configured: the default order applies`,
    );
  };

  const noteDeaf = (language: string): void => {
    if (deafTo.has(language)) return;
    deafTo.add(language);
    logger.warn(
      { language, engines: recognizers.map(({ name }) => name) },
      'no configured recognizer supports this language: calls in it have no speech recognition (GW_RECOGNIZERS)',
    );
  };

  return {
    lostSeconds: () => lostAudio,
    recognizerFor({ recognizer: name }, language) {
      noteMissing('recognizer', recognizers, name);
      if (recognizers.length === 0) return null;
      if (language !== undefined && !recognizers.some(({ engine }) => engine.hears?.(language) ?? true)) {
        noteDeaf(language);
        return null;
      }
      return failOverRecognizer(ledBy(recognizers, name), { clock, numbers: failOver, onLost, logger });
    },
    synthesizerFor({ synthesizer: name, voice }) {
      noteMissing('synthesizer', synthesizers, name);
      const candidates = ledBy(synthesizers, name).map((engine) => {
        const usual = engine.speakingWith(null);
        const isChosen = voice !== null && engine.name === name && isVoice(engine.name, voice);
        return {
          breaker: engine.breaker,
          engine: isChosen ? chosenVoice(engine.speakingWith(voice), usual, logger) : usual,
        };
      });
      return failOverSynthesizer(candidates);
    },
  };
};
