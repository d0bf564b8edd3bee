/**
 * The words of a transcript that somebody said. Whisper and its relatives write something for every sound: they name what
 * they hear (`[Music]`, `♪`), and over a cough or a knock they write what subtitles have there. Neither is speech: it
 * must not become a turn, nor interrupt the agent.
 */
import type { Audio } from '#sip/speech.ts';
import { phantomPhraseIn } from './phantom-phrases.ts';
import { voicedIn } from './voiced-sound.ts';

/** A stretch of a transcript with what its engine thinks of it, where the engine says. */
export type TranscriptSegment = {
  text: string;
  /** How likely it is that nobody spoke, from 0 to 1. */
  noSpeech: number | null;
  /** The mean logarithm of how likely each word is. */
  logProbability: number | null;
  /** How much shorter the text can be written: one that repeats itself is high. */
  compression: number | null;
};

export type Transcript = { text: string; segments: readonly TranscriptSegment[] };

/** Whisper's own numbers for a stretch that is silence, or a text that goes round in circles. */
const silentFrom = 0.6;
const unlikelyBelow = -1;
const repetitiveFrom = 2.4;

/** How much voice a known phrase needs. Noise has next to none. */
const needed = {
  subtitles: { voicedMs: 400, leastShare: 0.5 },
  everyday: { voicedMs: 180, leastShare: 0.3 },
} as const;

/** Nobody speaks faster: milliseconds of a character, by its script. */
const leastMs = { syllable: 80, letter: 25 } as const;

/** Remarks in brackets and sung words between notes; a number in brackets is part of what was said. */
const remarks =
  /\[[^[\]\d]*\]|\([^()\d]*\)|（[^（）\d]*）|【[^【】\d]*】|\*[^*\d]*\*|[♪♫🎵🎶][^♪♫🎵🎶]*[♪♫🎵🎶]|[♪♫🎵🎶]/gu;

export const withoutRemarks = (text: string): string => {
  const words = text.replaceAll(remarks, ' ').replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : '';
};

/** The least time in which somebody can say this. */
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

/** Empty where nobody said anything. `sound` is what the engine was given. */
export const spokenWords = ({ text, segments }: Transcript, sound: Audio): string => {
  const kept = segments.filter((segment) => !isSilence(segment));
  const said = kept.length === segments.length ? text : kept.map((segment) => segment.text).join(' ');
  const words = withoutRemarks(said);
  return words === '' || isPhantom(words, kept, sound) ? '' : words;
};
