/**
 * Removes text that was not spoken. Whisper models write text for every sound: names of sounds (`[Music]`, `♪`), and
 * phrases of subtitles for a cough or a knock. Such text must neither become a turn nor interrupt the agent.
 */
import type { Audio } from '#sip/audio/speech.ts';
import { pitchLikeness, pitchWindow } from '#src/domain/pitch.ts';
import { phantomPhraseIn } from './phantom-phrases.ts';

/** Measures the share of voiced (periodic) audio; nearly all speech is voiced. */
type VoicedAudio = {
  /** Number of frames with a pitch. */
  voicedMs: number;
  /** Share of voiced frames in all frames that are not silent, from 0 to 1. */
  share: number;
};

const rate = 8_000;
const frameLength = 160;
const frameMs = 20;
const likeness = 0.6;
/** Sample value (full scale 32768) below which a line counts as quiet. */
const floor = 130;
/** Share of the loudest frame's level below which a frame is silent. */
const quietest = 0.03;

/** Resamples audio to 8000 Hz. */
const narrow = ({ sampleRate, samples }: Audio): Int16Array => {
  const step = Math.max(1, Math.round(sampleRate / rate));
  if (step === 1) return samples;
  const result = new Int16Array(Math.floor(samples.length / step));
  for (let at = 0; at < result.length; at += 1) {
    let sum = 0;
    for (let index = 0; index < step; index += 1) sum += samples[at * step + index] ?? 0;
    result[at] = Math.round(sum / step);
  }
  return result;
};

const loudnessOf = (frame: Int16Array): number => {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, frame.length));
};

const voicedIn = (audio: Audio): VoicedAudio => {
  const samples = narrow(audio);
  const ends = Array.from(
    { length: Math.floor(samples.length / frameLength) },
    (_, at) => (at + 1) * frameLength,
  );
  const loud = ends.map((end) => loudnessOf(samples.subarray(end - frameLength, end)));
  const least = Math.max(floor, quietest * loud.reduce((most, one) => Math.max(most, one), 0));
  const sounding = ends.filter((_, at) => (loud[at] ?? 0) >= least);
  const voiced = sounding.filter(
    (end) => end >= pitchWindow && pitchLikeness(samples.subarray(end - pitchWindow, end)) >= likeness,
  );
  return {
    voicedMs: voiced.length * frameMs,
    share: sounding.length === 0 ? 0 : voiced.length / sounding.length,
  };
};

/** Segment of a transcript with the engine's confidence values, if it reports them. */
export type TranscriptSegment = {
  text: string;
  /** Probability of silence, from 0 to 1. */
  noSpeech: number | null;
  /** Mean log probability of the words. */
  logProbability: number | null;
  /** Compression ratio of the text, which is high for repeated text. */
  compression: number | null;
};

export type Transcript = { text: string; segments: readonly TranscriptSegment[] };

/** Whisper's thresholds for silence and for repeating text. */
const silentFrom = 0.6;
const unlikelyBelow = -1;
const repetitiveFrom = 2.4;

/** Minimum share of voice for a known phrase. Noise has almost no voice. */
const needed = {
  subtitles: { voicedMs: 400, leastShare: 0.5 },
  everyday: { voicedMs: 180, leastShare: 0.3 },
} as const;

/** Minimum milliseconds per character, by script. */
const leastMs = { syllable: 80, letter: 25 } as const;

/** Matches remarks in brackets and lyrics between notes, but not a number in brackets. */
const remarks =
  /\[[^[\]\d]*\]|\([^()\d]*\)|（[^（）\d]*）|【[^【】\d]*】|\*[^*\d]*\*|[♪♫🎵🎶][^♪♫🎵🎶]*[♪♫🎵🎶]|[♪♫🎵🎶]/gu;

export const withoutRemarks = (text: string): string => {
  const words = text.replaceAll(remarks, ' ').replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : '';
};

/** Returns the minimum time in which the text can be spoken. */
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

/** Returns the spoken words; empty for silence. `sound` is the audio that the engine received. */
export const spokenWords = ({ text, segments }: Transcript, sound: Audio): string => {
  const kept = segments.filter((segment) => !isSilence(segment));
  const said = kept.length === segments.length ? text : kept.map((segment) => segment.text).join(' ');
  const words = withoutRemarks(said);
  return words === '' || isPhantom(words, kept, sound) ? '' : words;
};
