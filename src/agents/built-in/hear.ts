import type { Meaning, Words } from './words.ts';

/** An utterance as the built-in agent understands it. */
export type Understood = {
  text: string;
  /** `statement` is any utterance without a more specific kind. */
  meaning: Meaning | 'statement';
  /** Numbers, dates and times in the words of the other party. */
  details: readonly string[];
};

export const hear = (text: string, words: Words): Understood => {
  const trimmed = text.trim();
  const found = words.meanings.find(([, pattern]) => pattern.test(trimmed));
  const details = new Set([...trimmed.matchAll(words.details)].map(([detail]) => detail.trim()));
  return { text: trimmed, meaning: found?.[0] ?? 'statement', details: [...details] };
};
