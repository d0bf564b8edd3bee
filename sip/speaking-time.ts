/**
 * The time that it takes to say a text, and the part of it that was heard after a while. Every character has its time,
 * by the script that it is written in, so that Korean, English and Japanese and any mixture of them have the pace of a
 * calm speaker (about six Korean syllables, sixteen Latin letters or eight kana a second).
 */

/**
 * A syllable is heard by itself; a letter or digit only with its whole word; a mark (accent, small kana, long-vowel
 * sign) belongs to the sound before it.
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

/** A stretch of the text that is heard whole or not at all, without what follows it up to the next one. */
type Piece = { end: number; endMs: number };

/** The pieces of a text in order. A pause counts before the next sound, so nothing is waited for after the last. */
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

/** Milliseconds that it takes to say this text; 0 when nothing of it can be said ("…"). */
export const sayingTime = (text: string): number => piecesOf(text).at(-1)?.endMs ?? 0;

/**
 * The part that was heard of a text that was cut after so many milliseconds: its beginning up to the last word (Latin
 * letters, digits) or syllable (Hangul, kana, Han) that was said whole, with the punctuation behind it when more was to
 * come.
 */
export const heardAfter = (text: string, milliseconds: number): string => {
  const pieces = piecesOf(text);
  const heard = pieces.findLast(({ endMs }) => endMs <= milliseconds);
  if (heard === undefined) return '';
  return heard === pieces.at(-1) ? text : text.slice(0, heard.end);
};
