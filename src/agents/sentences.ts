import { cjk, judge, looksWhole, possibleEnd, wordEnds } from './sentence-end.ts';

/**
 * Cuts a reply that comes in pieces into sentences, so that the first is spoken while the next is still being written.
 * Without `pause`, where it cuts depends on the text alone, never on how the text was cut into pieces. It waits rather
 * than cuts in the wrong place: a sentence that ends with a full stop is known to be over when the character after it is
 * there. A sentence without an end is cut where it may take a breath, so that none is longer than one can listen to.
 */
export type SentenceCutter = {
  /** The sentences that are complete with this piece. */
  add(piece: string): string[];
  /** Nothing came for a moment: what was held back only because more might follow. Never half a sentence. */
  pause(): string[];
  /** Whether what is left is a sentence that lacks its end. */
  isTorn(): boolean;
  /** What is left at the end of the reply: at most one sentence. */
  end(): string[];
};

/** Characters of a sentence. */
const longestSentence = 250;
/** Characters without any space: a URL with a signature is not torn apart, an endless word is. */
const longestWord = 2_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The characters of a text as people see them; the last one is left out, for it may not be whole. */
const wholeCharacters = (text: string) => [...graphemes.segment(text)].slice(0, -1);

/** Where a sentence of the longest length takes a breath; `undefined` where it is one word. */
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
  /** The first half of a character whose second half comes with the next piece. */
  let half = '';
  /** Up to here it is known that no sentence ends. */
  let judged = 0;
  /** Where it is one word longer than a sentence may be: up to here it is known that the word does not end. */
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
      // The space before a sentence is not part of it, nor of its length.
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
