import type { EngineEvent, RecognitionEngine } from '#src/speech/recognition-engine.ts';
import { until } from '#test/helpers/until.ts';

/** A recognition of Korean, and its events. */
export const listen = (
  engine: Pick<RecognitionEngine, 'open'>,
  language = 'ko-KR',
  turnEnds = false,
  sampleRate = 8_000,
) => {
  const events: EngineEvent[] = [];
  const recognition = engine.open({ language, sampleRate, turnEnds }, (event) => events.push(event));
  const words = (): string[] =>
    events.flatMap((event) =>
      event.type === 'final' || event.type === 'partial' ? [`${event.type}: ${event.text}`] : [],
    );
  return {
    recognition,
    events,
    words,
    count: (count: number) =>
      until(`${count} events of words`, () => (words().length >= count ? true : undefined)),
    failure: (): Promise<Error> =>
      until('a failure', () => events.flatMap((event) => (event.type === 'failed' ? [event.error] : []))[0]),
  };
};

/** Audio in which every sample is its own position. */
export const numbered = (count: number, from = 0): Int16Array =>
  Int16Array.from({ length: count }, (_, index) => ((from + index) % 60_000) - 30_000);
