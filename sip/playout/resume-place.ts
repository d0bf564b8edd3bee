/**
 * Where the agent goes on when it was silenced in the midst of its words. Half a word behind a pause is not understood,
 * so, as people do, it begins again with the word, or the syllable, that was broken off: behind the last moment that was
 * quiet beside what sounds around it. Where there was none lately it goes on to the sample.
 */
import { levelOf, samplesPerMs, type SampleRate } from '../samples.ts';

/** A word is not looked for any further back. */
const furthestMs = 600;
const windowMs = 20;
const hopMs = 10;
/** A gap between syllables is so much quieter than they are. */
const gapDb = 15;

/** Of all the samples of an utterance, of which so many were played. */
export const placeToResume = (samples: Int16Array, played: number, rate: SampleRate): number => {
  const perMs = samplesPerMs(rate);
  const furthest = Math.max(0, played - furthestMs * perMs);
  const windows: { end: number; db: number }[] = [];
  for (let end = played; end - windowMs * perMs >= furthest; end -= hopMs * perMs)
    windows.push({ end, db: levelOf(samples.subarray(end - windowMs * perMs, end)) });
  const loudest = Math.max(...windows.map(({ db }) => db));
  return windows.find(({ db }) => db <= loudest - gapDb)?.end ?? played;
};
