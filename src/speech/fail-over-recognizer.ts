/**
 * Recognizers in order of preference, combined into one. When a call's engine fails, the next one continues with the
 * audio that was not processed. A failed engine cools down for all calls that share its breaker; after that, the next
 * call that opens or fails over tries it again. Without an available engine, the call waits for the first one to become
 * available.
 */
import type { Logger } from 'pino';
import type { Recognition, Recognizer } from '#sip/audio/speech.ts';
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import { storable } from '#src/domain/storable-text.ts';
import type { EngineEvent, RecognitionEngine } from './recognition-engine.ts';
import { createUnprocessedAudio } from './unprocessed-audio.ts';

/** Tracks audio of a call that was dropped before any engine processed it. The loss is logged once. */
const createLostAudio = (tell: (samples: number) => void, logger: Logger) => {
  /** Number of samples sent to the current engine, which has not answered yet; `null` once the engine answers. */
  let doubtful: number | null = 0;
  const warn = once(() => logger.warn('no recognizer answers: audio of a caller is dropped'));

  const lose = (samples: number): void => {
    if (samples === 0) return;
    tell(samples);
    warn();
  };

  return {
    givenUp(samples: number, hasEngine: boolean): void {
      if (!hasEngine) lose(samples);
      else if (doubtful !== null) doubtful += samples;
    },
    answered(): void {
      doubtful = null;
    },
    failed(): void {
      lose(doubtful ?? 0);
      doubtful = 0;
    },
  };
};

export type FailOverNumbers = Readonly<{
  /** Duration of a call's audio that is stored for the next engine. */
  keptMs: number;
  /**
   * Age of a connection beyond which its failure is probably a lost connection, so that the engine is reopened at once.
   */
  steadyMs: number;
}>;

type RecognitionCandidate = { engine: RecognitionEngine; breaker: CircuitBreaker };

type FailOverOptions = {
  clock: Clock;
  numbers: FailOverNumbers;
  /** Called with the duration of audio that was dropped before any engine processed it. */
  onLost?: (seconds: number) => void;
  logger: Logger;
};

const isAble = (engine: RecognitionEngine, language: string): boolean => engine.hears?.(language) ?? true;

/**
 * Returns the engines that support the language; if there are none, all engines, because an engine for another language
 * is better than none.
 */
const candidatesFor = (
  candidates: readonly RecognitionCandidate[],
  language: string,
): readonly RecognitionCandidate[] => {
  const able = candidates.filter(({ engine }) => isAble(engine, language));
  return able.length > 0 ? able : candidates;
};

export const failOverRecognizer = (
  candidates: readonly RecognitionCandidate[],
  { clock, numbers, onLost = () => {}, logger }: FailOverOptions,
): Recognizer => ({
  name: candidates.map(({ engine }) => engine.name).join(', '),
  open(options, emit) {
    const unprocessed = createUnprocessedAudio((numbers.keptMs * options.sampleRate) / 1_000);
    const asked = candidatesFor(candidates, options.language);
    // Recognition of the current engine; null while the call waits for an engine.
    let current: Recognition | null | 'closed' = null;
    let reportsTurnEnds = false;
    const lostAudio = createLostAudio((samples) => onLost(samples / options.sampleRate), logger);
    let waiting: unknown;

    const openWith = (candidate: RecognitionCandidate): void => {
      const { engine, breaker } = candidate;
      const base = unprocessed.settled();
      const openedAt = clock.now();

      const onEvent = (event: EngineEvent): void => {
        if (current !== recognition) return;
        if (event.type !== 'failed') lostAudio.answered();
        if (event.type === 'settled') return unprocessed.settle(base + event.samples);
        if (event.type !== 'failed') {
          breaker.worked();
          return emit('text' in event ? { ...event, text: storable(event.text) } : event);
        }
        current = null;
        lostAudio.failed();
        if (!isAble(engine, options.language)) {
          // An unsupported language does not affect the engine's health, and a retry would not help.
          logger.warn(
            { engine: engine.name, language: options.language, err: event.error },
            'a call continues without speech recognition',
          );
          return;
        }
        const wasSteady = clock.now() - openedAt >= numbers.steadyMs;
        logger.warn({ engine: engine.name, err: event.error, again: wasSteady }, 'a recognizer failed');
        if (wasSteady) return openWith(candidate);
        breaker.failed();
        openNext();
      };

      const recognition = engine.open(options, onEvent);
      current = recognition;
      reportsTurnEnds = engine.reportsTurnEnds;
      unprocessed.replay(recognition);
    };

    const openNext = (): void => {
      const next = asked.find(({ breaker }) => breaker.mayTry());
      if (next !== undefined) {
        logger.debug({ engine: next.engine.name }, 'opened a recognizer for a call');
        return openWith(next);
      }
      const ms = Math.min(...asked.map(({ breaker }) => breaker.remainingMs()));
      logger.warn({ waitMs: ms }, 'every speech recognizer is in cool-down; the call waits for the next one');
      waiting = clock.setTimeout(openNext, ms);
    };

    openNext();
    return {
      write(samples) {
        if (current === 'closed') return;
        const { copy, dropped } = unprocessed.write(samples);
        lostAudio.givenUp(dropped, current !== null);
        // The copy, so that audio which waits for a slow engine is in memory once. If the engine fails during the first
        // part, the next one has received both.
        const engine = current;
        for (const part of copy) engine?.write(part);
      },
      speechBegan() {
        if (current === 'closed') return;
        unprocessed.speechBegan();
        current?.speechBegan();
      },
      speechEnded() {
        if (current === 'closed') return;
        unprocessed.speechEnded();
        current?.speechEnded();
      },
      reportsTurnEnds: () => reportsTurnEnds,
      close() {
        if (current === 'closed') return;
        clock.clearTimeout(waiting);
        const last = current;
        current = 'closed';
        last?.close();
      },
    };
  },
});
