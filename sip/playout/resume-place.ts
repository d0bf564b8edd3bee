/**
 * Finds where the agent resumes after a pause within a word. Half a word is hard to understand, so playback restarts at
 * the interrupted word or syllable: after the last moment that was quiet compared with its surroundings. Without such a
 * moment, playback continues at the sample.
 */
import { levelOf, samplesPerMs, type SampleRate } from '../samples.ts';

/** Longest search for the beginning of a word. */
const furthestMs = 600;
const windowMs = 20;
const hopMs = 10;
/** Level difference in dB that marks a gap between syllables. */
const gapDb = 15;

/** `samples` is the whole utterance, of which `played` were played. */
export const placeToResume = (samples: Int16Array, played: number, rate: SampleRate): number => {
  const perMs = samplesPerMs(rate);
  const furthest = Math.max(0, played - furthestMs * perMs);
  const windows: { end: number; db: number }[] = [];
  for (let end = played; end - windowMs * perMs >= furthest; end -= hopMs * perMs)
    windows.push({ end, db: levelOf(samples.subarray(end - windowMs * perMs, end)) });
  const loudest = Math.max(...windows.map(({ db }) => db));
  return windows.find(({ db }) => db <= loudest - gapDb)?.end ?? played;
};
