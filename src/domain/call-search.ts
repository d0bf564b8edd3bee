/** A search for calls by a part of a number, by an id, or by words. */
import type { Country } from './phone-number.ts';
import { readPhoneNumber } from './read-number.ts';

export type CallSearch =
  /** Range of call ids; both ends are inclusive. */
  | { kind: 'id'; first: string; last: string }
  /** Words that must all match as word prefixes. A single letter matches only a whole word. */
  | { kind: 'words'; words: readonly string[] }
  /** Digits that must occur consecutively anywhere in the number. */
  | { kind: 'number'; digits: string };

/** Maximum length of a search in characters, because each word costs an index look-up. */
export const longestSearch = 100;
export const mostWords = 8;

/**
 * Minimum number of digits for a search in numbers. Fewer digits are searched as a word, because they occur in most
 * numbers.
 */
const fewestDigits = 4;

const isHexadecimal = /^[\da-f]+$/;
const beginsAsId = /^[\da-f]{8}-/;

const idOf = (text: string): CallSearch | undefined => {
  const digits = text.replaceAll('-', '');
  if (!isHexadecimal.test(digits) || digits.length < 8 || digits.length > 32) return undefined;
  if (!beginsAsId.test(text) && !(/\d/.test(digits) && /[a-f]/.test(digits))) return undefined;
  const filledWith = (digit: string): string =>
    digits.padEnd(32, digit).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { kind: 'id', first: filledWith('0'), last: filledWith('f') };
};

const numberOf = (text: string, country: Country): CallSearch | undefined => {
  if (!/^\+?[\d\s().-]+$/.test(text)) return undefined;
  const written = text.replaceAll(/[^\d+]/g, '');
  // Digits without `+` may be any part of a number, so they are unchanged.
  const number = written.startsWith('+') ? (readPhoneNumber(written, country) ?? written) : written;
  const digits = number.replace('+', '');
  return digits.length < fewestDigits ? undefined : { kind: 'number', digits };
};

/** Number of characters that an excerpt shows before and after the first match. */
const before = 40;
const after = 120;

const wordForm = /[\p{L}\p{M}\p{N}]+/gu;

const isMatch = (found: string, words: readonly string[]): boolean => {
  const plain = found.normalize('NFC').toLowerCase();
  return words.some((word) => (word.length === 1 ? plain === word : plain.startsWith(word)));
};

/** Returns the part of a text around the first word that matches a search, cut between words. */
export const excerptAround = (text: string, words: readonly string[]): string => {
  const place = [...text.matchAll(wordForm)].find(([word]) => isMatch(word, words))?.index ?? 0;
  const from = place <= before ? 0 : text.indexOf(' ', place - before) + 1;
  const start = from > place ? place : from;
  const end =
    text.length - start <= before + after ? text.length : text.lastIndexOf(' ', start + before + after);
  const until = end <= place ? start + before + after : end;
  const part = text.slice(start, until).toWellFormed().trim();
  return `${start > 0 ? '… ' : ''}${part}${until < text.length ? ' …' : ''}`;
};

/** Parses a search. Returns undefined for a text without letters and digits, or with too many words. */
export const readCallSearch = (text: string, country: Country): CallSearch | undefined => {
  const plain = text.normalize('NFC').toLowerCase().trim();
  const exact = numberOf(plain, country) ?? idOf(plain);
  if (exact !== undefined) return exact;
  const words = plain.match(wordForm) ?? [];
  return words.length === 0 || words.length > mostWords ? undefined : { kind: 'words', words };
};
