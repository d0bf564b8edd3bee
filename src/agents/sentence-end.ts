/**
 * Detects the end of a sentence, for the supported languages (Korean, English, Japanese) and for those with unambiguous
 * marks. In doubt it joins two sentences instead of splitting one: the first is a longer breath, the second sounds
 * broken.
 */

const closing = String.raw`["'”’)\]）」』】》〉*_~^${'`'}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{200D}]*`;
/**
 * Marks of Chinese and Japanese, Arabic, Urdu, Hindi, Armenian, Amharic, Khmer and Burmese, which have no other use.
 */
const idealMarks = '。｡！？‽؟۔।॥։።፧។။';
const mark = `[.!?…．${idealMarks}]`;

/** A line break, or a run of sentence marks with closing characters after it: quotes, brackets, Markdown, a smiley. */
export const possibleEnd = (): RegExp =>
  new RegExp(String.raw`[\r\n\v\f\u2028\u2029]+|${mark}+${closing}`, 'gu');

const lastMarks = new RegExp(`(?<!${mark})${mark}+${closing}$`, 'u');

const lineBreak = /^[\r\n\v\f\u2028\u2029]/u;
const lineBreakAhead = /^\s*?[\r\n\v\f\u2028\u2029]/u;
const idealMark = new RegExp(`[${idealMarks}]`, 'u');
const ellipsis = new RegExp(String.raw`^(?:\.[.…]|…)[.…]*(?!${mark})`, 'u');
const loneFullStop = new RegExp(`^[.．](?!${mark})`, 'u');
const closingQuote = /["'”’」』]/u;
const cjkLetter = String.raw`[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
export const cjk = new RegExp(cjkLetter, 'u');
/** A space, or a letter of a script that is written without spaces. */
export const wordEnds = (): RegExp => new RegExp(String.raw`\s|${cjkLetter}`, 'gu');
const hangul = /\p{Script=Hangul}/u;

/** English abbreviations with a full stop inside a sentence; besides single letters ("J.") and dotted ones ("e.g."). */
const abbreviation =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|approx|dept|ext|tel|inc|ltd|co|corp|ave|blvd|ph\.d|[a-z]|(?:[a-z]\.)+[a-z])$/iu;

/** Abbreviations that do not end a sentence before a number or noun: "No. 5", "Dec. 25", "no. of guests". */
const numbering = /^(?:no|nos|pp?|vol|fig|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/iu;

const wholeNumber = /^\d+$/u;
/** "3.14", and a Korean date: "2026.12.25". */
const dottedNumber = /^\d+(?:\.\d+)+$/u;

const lastWord = (text: string): string =>
  /(?<![^\s("'“‘「『（*_#>])[^\s("'“‘「『（*_#>]*$/u.exec(text.slice(-40))?.[0] ?? '';

const isInAddress = (text: string): boolean => text.split(/\s/u).at(-1)?.includes('://') ?? false;

/** "1. First", also as a heading, in bold or after a bullet. */
const isListNumber = (before: string, word: string): boolean =>
  wholeNumber.test(word) && /^[\s*_#>+•-]*\d+$/u.test(before);

/** `unknown` requires more of the following text. */
export type Verdict = 'end' | 'inside' | 'unknown';

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

/** A quotation may end within its sentence: "네."라고, 「はい。」と, "Really?" he asked. */
const judgeQuotation = (mark: string, after: string, next: string): Verdict => {
  if (!/\s/u.test(next))
    return hangul.test(next) || /[とっはがをにのもで、，]/u.test(next) ? 'inside' : 'end';
  if (!closingQuote.test(mark) || lineBreakAhead.test(after)) return 'end';
  const nextWord = after.trimStart().at(0);
  if (nextWord === undefined) return 'unknown';
  return /[\p{Ll}라하]/u.test(nextWord) ? 'inside' : 'end';
};

const count = (text: string, character: string): number => text.split(character).length - 1;

/** The same mark opens and closes; the space around it decides. An inch mark (5") does not open a quotation. */
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
 * Whether a `possibleEnd` between `before` and `after` is an end. A result other than `unknown` is final, whatever
 * follows.
 */
export const judge = (mark: string, before: string, after: string): Verdict => {
  if (lineBreak.test(mark)) return 'end';
  const verdict = judgeMark(mark, before, after);
  // A quotation is one breath, however many sentences it contains.
  return verdict === 'end' && isInQuotation(before + mark) ? 'inside' : verdict;
};

const brackets = ['()', '（）', '[]'];

const isOpen = (text: string): boolean => isInQuotation(text) || !isPaired(text, brackets);

/**
 * Whether a text is likely a whole sentence although no text follows it. "3." and "Mr." are not, nor is an open quote.
 */
export const looksWhole = (text: string): boolean => {
  const found = lastMarks.exec(text);
  if (found === null || isOpen(text)) return false;
  const before = text.slice(0, found.index);
  if (isInAddress(before)) return false;
  if (!loneFullStop.test(found[0])) return true;
  const word = lastWord(before);
  return !/\d$/u.test(word) && ![numbering, abbreviation].some((inside) => inside.test(word));
};
