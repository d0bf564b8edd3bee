/**
 * Removes text that nobody said. Whisper models write text for every sound: names of sounds (`[Music]`, `♪`), and
 * phrases of subtitles for a cough or a knock. Such text must neither become a turn nor interrupt the agent.
 */
import type { Audio } from '#sip/speech.ts';
import { phantomPhraseIn } from './phantom-phrases.ts';
import { voicedIn } from './voiced-sound.ts';

/** Segment of a transcript with the engine's confidence values, if it reports them. */
export type TranscriptSegment = {
  text: string;
  /** Probability that nobody spoke, from 0 to 1. */
  noSpeech: number | null;
  /** Mean log probability of the words. */
  logProbability: number | null;
  /** Compression ratio of the text; repeated text is high. */
  compression: number | null;
};

export type Transcript = { text: string; segments: readonly TranscriptSegment[] };

/** Whisper's thresholds for silence and for repeating text. */
const silentFrom = 0.6;
const unlikelyBelow = -1;
const repetitiveFrom = 2.4;

/** Least share of voice for a known phrase; noise has almost none. */
const needed = {
  subtitles: { voicedMs: 400, leastShare: 0.5 },
  everyday: { voicedMs: 180, leastShare: 0.3 },
} as const;

/** Shortest milliseconds per character, by script. */
const leastMs = { syllable: 80, letter: 25 } as const;

/** Remarks in brackets and lyrics between notes; a number in brackets is kept. */
const remarks =
  /\[[^[\]\d]*\]|\([^()\d]*\)|（[^（）\d]*）|【[^【】\d]*】|\*[^*\d]*\*|[♪♫🎵🎶][^♪♫🎵🎶]*[♪♫🎵🎶]|[♪♫🎵🎶]/gu;

export const withoutRemarks = (text: string): string => {
  const words = text.replaceAll(remarks, ' ').replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : '';
};

/** Shortest time in which the text can be spoken. */
const leastTimeOf = (text: string): number => {
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const syllables =
    text.match(/[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu)?.length ?? 0;
  return syllables * leastMs.syllable + (letters - syllables) * leastMs.letter;
};

const isSilence = ({ noSpeech, logProbability }: TranscriptSegment): boolean =>
  noSpeech !== null && logProbability !== null && noSpeech > silentFrom && logProbability < unlikelyBelow;

const isPhantom = (text: string, segments: readonly TranscriptSegment[], sound: Audio): boolean => {
  const soundMs = (sound.samples.length * 1_000) / sound.sampleRate;
  const leastTime = leastTimeOf(text);
  const isRepetitive = segments.some(
    ({ compression }) => compression !== null && compression > repetitiveFrom,
  );
  if (leastTime > soundMs || (isRepetitive && leastTime * 2 > soundMs)) return true;
  const phrase = phantomPhraseIn(text);
  if (phrase === null) return false;
  const isSilent = segments.some(({ noSpeech }) => noSpeech !== null && noSpeech > silentFrom);
  if (phrase === 'subtitles' && isSilent) return true;
  const { voicedMs, leastShare } = needed[phrase];
  const voiced = voicedIn(sound);
  return voiced.voicedMs < voicedMs || voiced.share < leastShare;
};

/** Empty if nobody spoke. `sound` is the audio that the engine received. */
export const spokenWords = ({ text, segments }: Transcript, sound: Audio): string => {
  const kept = segments.filter((segment) => !isSilence(segment));
  const said = kept.length === segments.length ? text : kept.map((segment) => segment.text).join(' ');
  const words = withoutRemarks(said);
  return words === '' || isPhantom(words, kept, sound) ? '' : words;
};
