/**
 * Estimates the duration of spoken text, and the part that was heard after some time. Each character has a duration by
 * its script, so that Korean, English, Japanese and mixtures have the pace of a calm speaker (about six Korean
 * syllables, sixteen Latin letters or eight kana per second).
 */

/**
 * Kind of a character. A syllable is heard by itself, a letter or digit only with its whole word. A mark (accent, small
 * kana, long-vowel sign) belongs to the preceding sound.
 */
type Kind = 'syllable' | 'letter' | 'mark' | 'pause';

type Sound = { kind: Kind; ms: number };

const sounds: readonly (readonly [RegExp, Sound])[] = [
  [/^[\p{M}ぁぃぅぇぉっゃゅょァィゥェォッャュョー]$/u, { kind: 'mark', ms: 60 }],
  [/^\p{Script=Hangul}$/u, { kind: 'syllable', ms: 165 }],
  [/^[\p{Script=Hiragana}\p{Script=Katakana}]$/u, { kind: 'syllable', ms: 125 }],
  [/^\p{Script=Han}$/u, { kind: 'syllable', ms: 230 }],
  [/^\p{N}$/u, { kind: 'letter', ms: 260 }],
  [/^\p{L}$/u, { kind: 'letter', ms: 62 }],
  [/^[,;:、，；：]$/u, { kind: 'pause', ms: 200 }],
  [/^[.!?…。！？]$/u, { kind: 'pause', ms: 350 }],
  [/^\s$/u, { kind: 'pause', ms: 30 }],
];

const nothing: Sound = { kind: 'pause', ms: 0 };

const soundOf = (character: string): Sound => sounds.find(([form]) => form.test(character))?.[1] ?? nothing;

/** A piece of text that is heard as a whole or not at all. */
type Piece = { end: number; endMs: number };

/** Splits a text into pieces. A pause belongs to the sound after it, so there is no pause after the last sound. */
const piecesOf = (text: string): Piece[] => {
  const pieces: Piece[] = [];
  let end = 0;
  let endMs = 0;
  let pauseMs = 0;
  let before: Kind = 'pause';
  for (const character of text) {
    const { kind, ms } = soundOf(character);
    end += character.length;
    if (kind === 'pause') {
      pauseMs = Math.max(pauseMs, ms);
      before = kind;
      continue;
    }
    endMs += ms + (pieces.length === 0 ? 0 : pauseMs);
    pauseMs = 0;
    const goesOn = kind === 'mark' || (kind === 'letter' && before === 'letter');
    const last = pieces.at(-1);
    if (goesOn && last !== undefined) Object.assign(last, { end, endMs });
    else pieces.push({ end, endMs });
    if (kind !== 'mark') before = kind;
  }
  return pieces;
};

/** Returns the duration of a text in ms; 0 if it cannot be spoken ("…"). */
export const sayingTime = (text: string): number => piecesOf(text).at(-1)?.endMs ?? 0;

/**
 * Returns the part of a text that was heard before it was cut: up to the last complete word (Latin letters, digits) or
 * syllable (Hangul, kana, Han). The punctuation after it is included if more text was to come.
 */
export const heardAfter = (text: string, milliseconds: number): string => {
  const pieces = piecesOf(text);
  const heard = pieces.findLast(({ endMs }) => endMs <= milliseconds);
  if (heard === undefined) return '';
  return heard === pieces.at(-1) ? text : text.slice(0, heard.end);
};
