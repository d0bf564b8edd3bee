/** Languages of the built-in agent. */
import { en } from './en.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import type { Words } from './words.ts';

const languages: Readonly<Record<string, Words>> = { ko, en, ja };

/** Returns the words for a language tag by its primary subtag; English for unsupported languages. */
export const wordsFor = (language: string): Words =>
  languages[language.split('-', 1)[0]?.toLowerCase() ?? ''] ?? en;
