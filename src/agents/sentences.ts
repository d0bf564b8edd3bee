import { cjk, judge, looksWhole, possibleEnd, wordEnds } from './sentence-end.ts';

/**
 * Cuts a streamed reply into sentences, so that the first is spoken while the next is still being written. Without
 * `pause`, the cuts depend only on the text, never on its pieces. It waits instead of cutting in the wrong place: the
 * end of a sentence with a full stop is known once the next character arrives. A sentence without an end is cut at a
 * possible breath, so that its length stays bounded.
 */
export type SentenceCutter = {
  /** Returns the sentences that this piece completes. */
  add(piece: string): string[];
  /**
   * After a short time without text: returns text that was held back only because more might follow. Never half a
   * sentence.
   */
  pause(): string[];
  /** Whether the remaining text is a sentence without its end. */
  isTorn(): boolean;
  /** Returns the remaining text at the end of the reply: at most one sentence. */
  end(): string[];
};

/** Maximum characters of a sentence. */
const longestSentence = 250;
/** Maximum characters without a space: a signed URL is kept whole, an endless word is cut. */
const longestWord = 2_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The grapheme clusters of a text except the last one, which may be incomplete. */
const wholeCharacters = (text: string) => [...graphemes.segment(text)].slice(0, -1);

/** Index at which a sentence of maximum length takes a breath; `undefined` if it is one word. */
const breathPlace = (start: string): number | undefined => {
  const clause = /^[^]*(?:[,;:]\s|[，、；：])/u.exec(start)?.[0].length ?? 0;
  if (clause > start.length / 2) return clause;
  const space = /^[^]*\s/u.exec(start);
  if (space !== null) return space[0].length;
  const lastCjk = wholeCharacters(start).findLast(({ segment }) => cjk.test(segment));
  return lastCjk && lastCjk.index + lastCjk.segment.length;
};

const endlessWordPlace = (word: string): number => {
  const last = wholeCharacters(word).at(-1);
  return last === undefined ? word.length : last.index + last.segment.length;
};

const isHighSurrogate = (unit: string): boolean => unit >= '\ud800' && unit <= '\udbff';

export const createSentenceCutter = (): SentenceCutter => {
  const ends = possibleEnd();
  const afterWord = wordEnds();
  let text = '';
  /** The first half of a surrogate pair whose second half comes with the next piece. */
  let half = '';
  /** The text up to here is known to contain no sentence end. */
  let judged = 0;
  /** For a single word longer than a sentence: the text up to here is known not to contain the word's end. */
  let inWord = 0;

  const sentenceEnd = (start: string): number | undefined => {
    ends.lastIndex = judged;
    judged = start.length;
    for (let found = ends.exec(start); found !== null; found = ends.exec(start)) {
      const end = found.index + found[0].length;
      const verdict = judge(found[0], start.slice(0, found.index), start.slice(end));
      if (verdict === 'end') return end;
      if (verdict === 'unknown') {
        judged = found.index;
        return undefined;
      }
    }
    return undefined;
  };

  const wordEnd = (): number | undefined => {
    afterWord.lastIndex = inWord;
    inWord = text.length;
    const found = afterWord.exec(text.slice(0, longestWord));
    if (found !== null) return found.index;
    return text.length < longestWord ? undefined : endlessWordPlace(text.slice(0, longestWord));
  };

  const nextEnd = (): number | undefined => {
    if (inWord > 0) return wordEnd();
    const start = text.slice(0, longestSentence);
    const end = sentenceEnd(start);
    if (end !== undefined || start.length < longestSentence) return end;
    inWord = longestSentence;
    return breathPlace(start) ?? wordEnd();
  };

  const cutAt = (end: number): string => {
    const sentence = text.slice(0, end).trimEnd();
    text = text.slice(end).trimStart();
    judged = 0;
    inWord = 0;
    return sentence;
  };

  const rest = (): string[] => (text === '' ? [] : [cutAt(text.length)]);

  return {
    add(piece) {
      const added = half + piece;
      half = isHighSurrogate(added.at(-1) ?? '') ? added.slice(-1) : '';
      text += half === '' ? added : added.slice(0, -1);
      // Leading space belongs neither to a sentence nor to its length.
      text = text.trimStart();
      const sentences: string[] = [];
      for (let end = nextEnd(); end !== undefined; end = nextEnd()) sentences.push(cutAt(end));
      return sentences;
    },
    pause: () => (half === '' && looksWhole(text.trimEnd()) ? rest() : []),
    isTorn: () => /[\p{L}\p{N}]/u.test(text) && !looksWhole(text.trimEnd()),
    end() {
      text += half;
      half = '';
      return rest();
    },
  };
};
