/**
 * Recognizers in order of preference, combined into one. When a call's engine fails, the next one continues with the
 * audio that was not processed. A failed engine cools down for all calls that share its breaker; the next call that
 * opens or fails over tries it again. Without an available engine the call waits for the first one to become available.
 */
import type { Logger } from 'pino';
import type { Recognition, Recognizer } from '#sip/audio/speech.ts';
import type { CircuitBreaker } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import type { EngineEvent, RecognitionEngine } from './recognition-engine.ts';
import { createUnprocessedAudio } from './unprocessed-audio.ts';

/** Tracks audio of a call that was dropped before any engine processed it. Logged once. */
const createLostAudio = (tell: (samples: number) => void, logger: Logger) => {
  /** Audio given to the current engine without an answer; `null` once it answers. */
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
  /** Audio of a call that is kept for the next engine. */
  keptMs: number;
  /** Age of a connection from which its failure is probably a lost connection; the engine is then reopened at once. */
  steadyMs: number;
}>;

type RecognitionCandidate = { engine: RecognitionEngine; breaker: CircuitBreaker };

type FailOverOptions = {
  clock: Clock;
  numbers: FailOverNumbers;
  /** Audio that was dropped without any engine processing it. */
  onLost?: (seconds: number) => void;
  logger: Logger;
};

const isAble = (engine: RecognitionEngine, language: string): boolean => engine.hears?.(language) ?? true;

/** Prefers engines that support the language; an engine for another language is better than none. */
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
    let current: Recognition | null | 'closed' = null; // Null while the call waits for one.
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
          return emit(event);
        }
        current = null;
        lostAudio.failed();
        if (!isAble(engine, options.language)) {
          // An unsupported language does not affect the engine's health, and retrying would not help.
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
        lostAudio.givenUp(unprocessed.write(samples), current !== null);
        current?.write(samples);
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
