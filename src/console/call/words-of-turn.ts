/**
 * Words of the agent's turn while they are spoken. The gateway reports them sentence by sentence, each together with the
 * words before it. For the page of a call and for `npm run call`.
 */

/** Length of the common part by which words that the gateway cut at the front are recognized. */
const overlap = 40;

/** Returns the words that follow the known ones; undefined for words of another turn. */
export const restOf = (known: string, words: string): string | undefined => {
  if (words.startsWith(known)) return words.slice(known.length).trim();
  if (known.length < overlap) return undefined;
  const at = words.lastIndexOf(known.slice(-overlap));
  return at === -1 ? undefined : words.slice(at + overlap).trim();
};

/** Reported words, and how many of their characters were spoken before the current sentence. */
export type SpokenWords = { words: string; spoken: number };

/** Returns the next words after a report. An interrupted agent is reported with what was heard of the sentence. */
export const spokenAfter = (last: SpokenWords | null, words: string): SpokenWords => {
  if (last === null) return { words, spoken: 0 };
  if (last.words === words) return last;
  if (last.words.startsWith(words)) return { words, spoken: words.length };
  return { words, spoken: words.length - (restOf(last.words, words) ?? words).length };
};
