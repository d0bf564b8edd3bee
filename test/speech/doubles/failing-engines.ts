/** Engines that fail when the test decides, and a recognizer made of them. */
import { SimulatedClock } from 'xstate';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { failOverRecognizer } from '#src/speech/fail-over-recognizer.ts';
import type { EngineEvent, RecognitionEngine } from '#src/speech/recognition-engine.ts';
import { listeningLogger } from './engine-world.ts';

export const numbers = { keptMs: 2_000, steadyMs: 10_000 };
export const coolDown = { firstMs: 5_000, longestMs: 60_000 };

/** An engine that the test controls, and that records the audio of each recognition. */
export const engine = (name: string, { reportsTurnEnds = false, languages = [] as string[] } = {}) => {
  const opened: { emit: (event: EngineEvent) => void; given: (Int16Array | string)[]; isClosed: boolean }[] =
    [];
  const it: RecognitionEngine = {
    name,
    reportsTurnEnds,
    ...(languages.length === 0 ? {} : { hears: (language) => languages.includes(language) }),
    open(_options, emit) {
      const own = { emit, given: [] as (Int16Array | string)[], isClosed: false };
      opened.push(own);
      return {
        write: (samples) => void own.given.push(samples.slice()),
        speechBegan: () => void own.given.push('began'),
        speechEnded: () => void own.given.push('ended'),
        close: () => void (own.isClosed = true),
      };
    },
  };
  const last = () => {
    const own = opened.at(-1);
    if (own === undefined) throw new Error(`${name} was not opened`);
    return own;
  };
  return {
    engine: it,
    opened,
    last,
    fail: () => last().emit({ type: 'failed', error: new Error(`${name} failed`) }),
    sound: () => [...joinSamples(last().given.filter((entry) => typeof entry !== 'string'))],
  };
};

export const setUpWith = (...engines: ReturnType<typeof engine>[]) => {
  const clock = new SimulatedClock();
  const { lines, logger } = listeningLogger();
  const lostAudio: number[] = [];
  const recognizer = failOverRecognizer(
    engines.map(({ engine }) => ({ engine, breaker: createCircuitBreaker(clock, coolDown) })),
    { clock, numbers, onLost: (seconds) => void lostAudio.push(seconds), logger },
  );
  const warnings = () =>
    lines
      .map((line): { level: number; msg: string; engine?: string } => JSON.parse(line))
      .filter(({ level }) => level >= 40);
  const lostSeconds = (): number => lostAudio.reduce((sum, seconds) => sum + seconds, 0);
  return { engines, clock, recognizer, lines, warnings, lostSeconds };
};

export const setUp = (...names: string[]) => setUpWith(...names.map((name) => engine(name)));

export const nth = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error('There is none');
  return item;
};
