import type { Meaning, Words } from './words.ts';

/** Something that the built-in agent heard, as it understands it. */
export type Understood = {
  text: string;
  /** `statement` is anything that it does not know better. */
  meaning: Meaning | 'statement';
  /** Numbers, dates and times, as they were said. */
  details: readonly string[];
};

export const hear = (text: string, words: Words): Understood => {
  const trimmed = text.trim();
  const found = words.meanings.find(([, pattern]) => pattern.test(trimmed));
  const details = new Set([...trimmed.matchAll(words.details)].map(([detail]) => detail.trim()));
  return { text: trimmed, meaning: found?.[0] ?? 'statement', details: [...details] };
};
