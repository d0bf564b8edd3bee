/**
 * Detects the end of a sentence, for the supported languages (Korean, English, Japanese) and for languages with
 * unambiguous marks. In doubt, two sentences are joined instead of splitting one: a joined sentence is only a longer
 * breath, whereas a split one sounds broken.
 */
const closing = String.raw`["'”’)\]）」』】》〉*_~^${'`'}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]*`;
/** Marks of Chinese and Japanese, Arabic, Urdu, Hindi, Armenian, Amharic, Khmer and Burmese that have no other use. */
const idealMarks = '。｡！？‽؟۔।॥։።፧។။';
const mark = `[.!?…．${idealMarks}]`;

/**
 * Matches a line break, or a run of sentence marks with closing characters after it: quotes, brackets, Markdown, a
 * smiley.
 */
const possibleEnd = (): RegExp => new RegExp(String.raw`[\r\n\v\f\u2028\u2029]+|${mark}+${closing}`, 'gu');

const lastMarks = new RegExp(`(?<!${mark})${mark}+${closing}$`, 'u');

const lineBreak = /^[\r\n\v\f\u2028\u2029]/u;
const lineBreakAhead = /^\s*?[\r\n\v\f\u2028\u2029]/u;
const idealMark = new RegExp(`[${idealMarks}]`, 'u');
const ellipsis = new RegExp(String.raw`^(?:\.[.…]|…)[.…]*(?!${mark})`, 'u');
const loneFullStop = new RegExp(`^[.．](?!${mark})`, 'u');
const closingQuote = /["'”’」』]/u;
const cjkLetter = String.raw`[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const cjk = new RegExp(cjkLetter, 'u');
/** Matches a space, or a letter of a script that is written without spaces. */
const wordEnds = (): RegExp => new RegExp(String.raw`\s|${cjkLetter}`, 'gu');
const hangul = /\p{Script=Hangul}/u;

/**
 * English abbreviations with a full stop that occur inside a sentence, in addition to single letters ("J.") and dotted
 * abbreviations ("e.g.").
 */
const abbreviation =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|approx|dept|ext|tel|inc|ltd|co|corp|ave|blvd|ph\.d|[a-z]|(?:[a-z]\.)+[a-z])$/iu;

/** Abbreviations that do not end a sentence before a number or noun: "No. 5", "Dec. 25", "no. of guests". */
const numbering = /^(?:no|nos|pp?|vol|fig|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/iu;

const wholeNumber = /^\d+$/u;
/** Matches numbers such as "3.14", and a Korean date: "2026.12.25". */
const dottedNumber = /^\d+(?:\.\d+)+$/u;

const lastWord = (text: string): string =>
  /(?<![^\s("'“‘「『（*_#>])[^\s("'“‘「『（*_#>]*$/u.exec(text.slice(-40))?.[0] ?? '';

const isInAddress = (text: string): boolean => text.split(/\s/u).at(-1)?.includes('://') ?? false;

/** Whether the word is the number of a list item ("1. First"), also in a heading, in bold or after a bullet. */
const isListNumber = (before: string, word: string): boolean =>
  wholeNumber.test(word) && /^[\s*_#>+•-]*\d+$/u.test(before);

/** Result of a judgement; `unknown` requires more of the following text. */
type Verdict = 'end' | 'inside' | 'unknown';

const judgeFullStop = (before: string, after: string, next: string): Verdict => {
  const word = lastWord(before);
  if (!/\s/u.test(next)) {
    // Korean and Japanese text sometimes omits the space: "했습니다.그리고", "했습니다.3시에".
    if (cjk.test(next)) return cjk.test(word.at(-1) ?? '') ? 'end' : 'inside';
    return /[다요죠까네]$/u.test(word) && /[\p{N}\p{Lu}]/u.test(next) ? 'end' : 'inside';
  }
  const isDotted = dottedNumber.test(word);
  const isNumbering = numbering.test(word);
  if (!isDotted && !isNumbering && !wholeNumber.test(word)) return abbreviation.test(word) ? 'inside' : 'end';
  if (isListNumber(before, word) || /\d\.\s+\d+$/u.test(before.slice(-20))) return 'inside';
  if (lineBreakAhead.test(after)) return 'end';
  const nextWord = after.trimStart().at(0);
  if (nextWord === undefined) return 'unknown';
  if (/\d/u.test(nextWord) || (isNumbering && /\p{Ll}/u.test(nextWord))) return 'inside';
  return isDotted && !/\p{Script=Latin}/u.test(nextWord) ? 'inside' : 'end';
};

/** Judges the end of a quotation, which may be within its sentence: "네."라고, 「はい。」と, "Really?" he asked. */
const judgeQuotation = (mark: string, after: string, next: string): Verdict => {
  if (!/\s/u.test(next))
    return hangul.test(next) || /[とっはがをにのもで、，]/u.test(next) ? 'inside' : 'end';
  if (!closingQuote.test(mark) || lineBreakAhead.test(after)) return 'end';
  const nextWord = after.trimStart().at(0);
  if (nextWord === undefined) return 'unknown';
  return /[\p{Ll}라하]/u.test(nextWord) ? 'inside' : 'end';
};

const count = (text: string, character: string): number => text.split(character).length - 1;

/**
 * Matches a straight quote. The same mark opens and closes a quotation, so the space around it decides. An inch mark
 * (5") does not open a quotation.
 */
const straightQuote = /(?<open>(?<![^\s(（[「『“])"(?=\S))|"/gu;

const quotes = ['“”', '‘’', '「」', '『』', '«»', '《》'];

const isPaired = (text: string, pairs: readonly string[]): boolean =>
  pairs.every(([open = '', close = '']) => count(text, open) <= count(text, close));

/** Whether a quotation is open. */
const isInQuotation = (text: string): boolean =>
  [...text.matchAll(straightQuote)].at(-1)?.groups?.['open'] !== undefined || !isPaired(text, quotes);

const judgeMark = (mark: string, before: string, after: string): Verdict => {
  const codePoint = after.codePointAt(0);
  // More marks or closing quotes may follow.
  if (codePoint === undefined) return 'unknown';
  const next = String.fromCodePoint(codePoint);
  if (!/\s/u.test(next) && isInAddress(before)) return 'inside';
  const quotation = /["'”’)\]）」』】》〉]/u.test(mark) ? judgeQuotation(mark, after, next) : 'end';
  if (quotation !== 'end') return quotation;
  if (idealMark.test(mark)) return 'end';
  if (ellipsis.test(mark)) return 'inside';
  if (!/[!?]/u.test(mark)) return judgeFullStop(before, after, next);
  if (/\s/u.test(next) || cjk.test(next)) return 'end';
  return cjk.test(before.at(-1) ?? '') && /[\p{N}\p{Lu}]/u.test(next) ? 'end' : 'inside';
};

/**
 * Whether a `possibleEnd` between `before` and `after` is an end. A result other than `unknown` is final, whatever text
 * follows.
 */
const judge = (mark: string, before: string, after: string): Verdict => {
  if (lineBreak.test(mark)) return 'end';
  const verdict = judgeMark(mark, before, after);
  // A quotation is spoken in one breath, however many sentences it contains.
  return verdict === 'end' && isInQuotation(before + mark) ? 'inside' : verdict;
};

const brackets = ['()', '（）', '[]'];

const isOpen = (text: string): boolean => isInQuotation(text) || !isPaired(text, brackets);

/**
 * Whether a text is probably a whole sentence although no text follows it. "3." and "Mr." are not whole, nor is a text
 * with an open quote.
 */
const looksWhole = (text: string): boolean => {
  const found = lastMarks.exec(text);
  if (found === null || isOpen(text)) return false;
  const before = text.slice(0, found.index);
  if (isInAddress(before)) return false;
  if (!loneFullStop.test(found[0])) return true;
  const word = lastWord(before);
  return !/\d$/u.test(word) && ![numbering, abbreviation].some((inside) => inside.test(word));
};

/**
 * Cuts a streamed reply into sentences, so that the first sentence is spoken while the next is still being written.
 * Without `pause`, the cuts depend only on the text, not on its pieces. The cutter waits instead of cutting in the
 * wrong place: the end of a sentence with a full stop is known once the next character arrives. A sentence without an
 * end is cut at a possible breath, so that its length stays bounded.
 */
export type SentenceCutter = {
  /** Returns the sentences that this piece completes. */
  add(piece: string): string[];
  /**
   * Called after a short time without text. Returns text that was held back only because more text might follow, but
   * never half a sentence.
   */
  pause(): string[];
  /** Whether the remaining text is a sentence without its end. */
  isTorn(): boolean;
  /** Returns the remaining text at the end of the reply: at most one sentence. */
  end(): string[];
};

/** Maximum characters of a sentence. */
const longestSentence = 250;
/** Maximum number of characters without a space. A signed URL is shorter and stays whole; an endless word is cut. */
const longestWord = 2_000;

let graphemes: Intl.Segmenter | undefined;

/** Returns the grapheme clusters of a text except the last one, which may be incomplete. */
const wholeCharacters = (text: string) => {
  // Created for the first text that needs it: that takes 30 ms, for which calls of a killed gateway would wait.
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return [...graphemes.segment(text)].slice(0, -1);
};

/** Returns the index at which a sentence of maximum length takes a breath; `undefined` if the text is one word. */
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
  /** First half of a surrogate pair whose second half comes with the next piece. */
  let half = '';
  /** Position up to which the text is known to contain no sentence end. */
  let judged = 0;
  /** Number of characters of a word that is longer than a sentence may be. The word contains no place to cut. */
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
