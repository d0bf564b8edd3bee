/** The languages that the built-in agent speaks. */
import { en } from './en.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import type { Words } from './words.ts';

const languages: Readonly<Record<string, Words>> = { ko, en, ja };

/** By the main part of a language tag; English for a language that it does not speak. */
export const wordsFor = (language: string): Words =>
  languages[language.split('-', 1)[0]?.toLowerCase() ?? ''] ?? en;
