/**
 * Cuts a reply that comes in pieces into sentences, so that the first is spoken while the next is still being written.
 * Where it cuts depends on the text alone, never on how the text was cut into pieces. It waits rather than cuts in the
 * wrong place: a sentence that ends with a plain full stop is known to be over when the character after it is there.
 */
export type SentenceCutter = {
  /** The sentences that are complete with this piece. */
  add(piece: string): string[];
  /** What is left at the end of the reply: at most one sentence. */
  end(): string[];
};

/** A line break, or a run of sentence marks with the quotes and brackets that close behind it. */
const possibleEnd = /[\r\n]+|[.!?…。！？．]+["'”’)\]）」』】》〉]*/gu;

const idealMark = /[。！？]/u;
const ellipsis = /^(?:\.{2,}|[.…]*…[.…]*)["'”’)\]）」』】》〉]*$/u;
const cjk = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** English words that carry a full stop inside a sentence; besides single letters ("J.") and dotted ones ("e.g."). */
const abbreviation =
  /^(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|approx|dept|ext|tel|inc|ltd|co|corp|ave|blvd|[a-z]|(?:[a-z]\.)+[a-z])$/iu;

/** Before a number they are no sentence of their own: "No. 5". */
const numbering = /^(?:no|nos|pp?|vol|fig)$/iu;

const lastWord = (text: string): string => /[^\s("'“‘「『（]*$/u.exec(text.slice(-40))?.[0] ?? '';

type Verdict = 'end' | 'inside' | 'unknown';

/** Whether the full stop between `before` and `after` ends a sentence; `unknown` needs more of `after`. */
const judgeFullStop = (before: string, after: string): Verdict => {
  const next = after.at(0);
  if (next === undefined) return 'unknown';
  const word = lastWord(before);
  // Korean and Japanese text sometimes leaves the space out: "했습니다.그리고".
  if (cjk.test(next)) return cjk.test(word.at(-1) ?? '') ? 'end' : 'inside';
  if (!/\s/u.test(next)) return 'inside';
  const isNumber = /^\d+$/u.test(word);
  if (!isNumber && !numbering.test(word)) return abbreviation.test(word) ? 'inside' : 'end';
  // "1. First" at the start of a sentence, "2026. 11. 21.", "No. 5".
  if (isNumber && (before.trim() === word || /\d\.\s+\d+$/u.test(before.slice(-20)))) return 'inside';
  const nextWord = after.trimStart().at(0);
  if (nextWord === undefined) return 'unknown';
  return /\d/u.test(nextWord) ? 'inside' : 'end';
};

const judge = (mark: string, before: string, after: string): Verdict => {
  if (/^[\r\n]/u.test(mark)) return 'end';
  // More marks or closing quotes may follow.
  if (after === '') return 'unknown';
  if (idealMark.test(mark)) return 'end';
  if (ellipsis.test(mark)) return 'inside';
  if (/[!?]/u.test(mark)) {
    const next = after.at(0) ?? '';
    return /\s/u.test(next) || cjk.test(next) ? 'end' : 'inside';
  }
  return judgeFullStop(before, after);
};

/** What a voice can say of a sentence: without the space around it, and nothing when nothing is left. */
const speakable = (sentence: string): string[] => {
  const text = sentence.trim().toWellFormed();
  return text === '' ? [] : [text];
};

export const createSentenceCutter = (): SentenceCutter => {
  let text = '';
  /** Up to here it is known that no sentence ends. */
  let judged = 0;

  const nextSentence = (): string | undefined => {
    possibleEnd.lastIndex = judged;
    for (let found = possibleEnd.exec(text); found !== null; found = possibleEnd.exec(text)) {
      const end = possibleEnd.lastIndex;
      const verdict = judge(found[0], text.slice(0, found.index), text.slice(end));
      if (verdict === 'unknown') {
        judged = found.index;
        return undefined;
      }
      if (verdict === 'end') {
        const sentence = text.slice(0, end);
        text = text.slice(end);
        judged = 0;
        return sentence;
      }
      judged = end;
    }
    judged = text.length;
    return undefined;
  };

  return {
    add(piece) {
      text += piece;
      const sentences: string[] = [];
      for (let sentence = nextSentence(); sentence !== undefined; sentence = nextSentence()) {
        sentences.push(...speakable(sentence));
      }
      return sentences;
    },
    end() {
      const rest = text;
      text = '';
      judged = 0;
      return speakable(rest);
    },
  };
};
