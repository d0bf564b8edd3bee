/**
 * What is heard where no speech engine is installed: one soft buzz a syllable in the rhythm of the words, with pauses
 * at punctuation and a melody that falls to the end of a sentence, or rises when it asks. The same text always sounds
 * the same.
 */
import type { Audio, Synthesizer } from '#sip/speech.ts';

const sampleRate = 16_000;

/** A syllable, or a pause where `pitch` is 0. */
type Beat = { ms: number; pitch: number };

/** What sounds as one, by script, and how long: a letter belongs to its syllable, which ends behind its vowels. */
const sounds: readonly { form: RegExp; msPerCharacter: number }[] = [
  { form: /^\p{Script=Hangul}/u, msPerCharacter: 165 },
  { form: /^[\p{Script=Hiragana}\p{Script=Katakana}ー][ぁぃぅぇぉゃゅょァィゥェォャュョー]?/u, msPerCharacter: 120 },
  { form: /^\p{Script=Han}/u, msPerCharacter: 230 },
  { form: /^\p{N}/u, msPerCharacter: 250 },
  { form: /^(?:(?![aeiouy])\p{Script=Latin})*[aeiouy]+(?:(?![aeiouy])\p{Script=Latin})*?(?=(?:(?![aeiouy])\p{Script=Latin})?[aeiouy]|\P{L}|$)/iu, msPerCharacter: 60 },
  { form: /^\p{L}+/u, msPerCharacter: 60 },
];
const pauses: readonly { form: RegExp; ms: number }[] = [
  { form: /^[.!?…。！？]+/u, ms: 350 },
  { form: /^[,;:、，；：]+/u, ms: 200 },
  { form: /^\s+/u, ms: 40 },
];
