/**
 * Speech engines of a call: the number's choice first, then the others in the operator's order. Health is shared by all
 * calls.
 */
import type { Logger } from 'pino';
import type { SpeechEngines, Synthesizer } from '#sip/speech.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Voice } from '#src/domain/voice.ts';
import { chosenVoice } from './chosen-voice.ts';
import { createCircuitBreaker, type CoolDown } from '#src/domain/circuit-breaker.ts';
import { failOverRecognizer, type FailOverNumbers } from './fail-over-recognizer.ts';
import { failOverSynthesizer } from './fail-over-synthesizer.ts';
import { isVoice } from './is-voice.ts';
import type { RecognitionEngine } from './recognition-engine.ts';

/** An engine with several voices. */
export type VoiceEngine = {
  readonly name: string;
  /** `null` for its default voice. */
  speakingWith(voice: string | null): Synthesizer;
  /** Absent if it does not list its voices. */
  voices?(): Promise<Voice[]>;
};

/** Moves the named engine to the front. */
const ledBy = <Engine extends { name: string }>(
  engines: readonly Engine[],
  name: string | null,
): Engine[] => [
  ...engines.filter((engine) => engine.name === name),
  ...engines.filter((engine) => engine.name !== name),
];

export const createSpeechEngines = (options: {
  /** In the operator's order. */
  recognizers: readonly RecognitionEngine[];
  /** At least one. */
  synthesizers: readonly VoiceEngine[];
  failOver: FailOverNumbers & { readonly coolDown: CoolDown };
  clock: Clock;
  logger: Logger;
}): SpeechEngines & {
  /** Seconds of callers' speech that no recognizer processed, since the start. */
  unheardSeconds(): number;
} => {
  const { failOver, clock, logger } = options;
  let unheard = 0;
  const onUnheard = (seconds: number): void => {
    unheard += seconds;
  };
  const guarded = <Engine extends { name: string }>(engine: Engine) => ({
    name: engine.name,
    engine,
    breaker: createCircuitBreaker(clock, failOver.coolDown),
  });
  const recognizers = options.recognizers.map(guarded);
  const synthesizers = options.synthesizers.map(guarded);
  const missed = new Set<string>();
  /** Languages of calls that no recognizer supports. */
  const deafTo = new Set<string>();

  const noteMissing = (kind: string, engines: readonly { name: string }[], name: string | null): void => {
    const key = `${kind} ${name}`;
    if (name === null || missed.has(key) || engines.some((engine) => engine.name === name)) return;
    missed.add(key);
    logger.warn(
      { engine: name },
      `a number chose a ${kind} that is not configured any more: the usual order is kept`,
    );
  };

  const noteDeaf = (language: string): void => {
    if (deafTo.has(language)) return;
    deafTo.add(language);
    logger.warn(
      { language, engines: recognizers.map(({ name }) => name) },
      'no configured recognizer understands this language: calls in it are not heard (GW_RECOGNIZERS)',
    );
  };

  return {
    unheardSeconds: () => unheard,
    recognizerFor({ recognizer: name }, language) {
      noteMissing('recognizer', recognizers, name);
      if (recognizers.length === 0) return null;
      if (language !== undefined && !recognizers.some(({ engine }) => engine.hears?.(language) ?? true)) {
        noteDeaf(language);
        return null;
      }
      return failOverRecognizer(ledBy(recognizers, name), { clock, numbers: failOver, onUnheard, logger });
    },
    synthesizerFor({ synthesizer: name, voice }) {
      noteMissing('synthesizer', synthesizers, name);
      const candidates = ledBy(synthesizers, name).map(({ engine, breaker }) => {
        const usual = engine.speakingWith(null);
        const isChosen = voice !== null && engine.name === name && isVoice(engine.name, voice);
        return { breaker, engine: isChosen ? chosenVoice(engine.speakingWith(voice), usual, logger) : usual };
      });
      return failOverSynthesizer(candidates, { logger });
    },
  };
};
