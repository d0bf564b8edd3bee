/** Marks where a search matched in the texts of a row: words by their beginnings, numbers by their digits. */
import { Fragment, type ComponentChildren } from 'preact';

/** Minimum number of digits for a search in numbers, as in the gateway. */
const fewestDigits = 4;

const plain = (text: string): string => text.normalize('NFC').toLowerCase();

/** Splits a text into words and what stands between them. */
const piecesOf = (text: string): string[] => text.split(/([\p{L}\p{M}\p{N}]+)/u);

const isDigits = (text: string): boolean => /^\d+$/.test(text);

const digitsIn = (search: string): string => search.replaceAll(/[^\d]/g, '');

/** Returns the digits of a search in numbers; undefined for other searches. */
const numberIn = (search: string): string | undefined =>
  /^[\d\s().+-]+$/.test(search) && digitsIn(search).length >= fewestDigits ? digitsIn(search) : undefined;

/** Returns the words of a search; none for a search in numbers. */
const wordsIn = (search: string): string[] =>
  numberIn(search) === undefined ? piecesOf(plain(search)).filter((_, place) => place % 2 === 1) : [];

/** Whether the search is the beginning of a call's id. */
export const isIdOf = (id: string, search: string): boolean =>
  id.replaceAll('-', '').startsWith(plain(search).trim().replaceAll('-', ''));

/** Length of the beginning of a word that matched. A single letter matches only a whole word. */
const matchedIn = (piece: string, words: readonly string[]): number =>
  Math.max(
    0,
    ...words
      .filter((word) => (word.length === 1 ? plain(piece) === word : plain(piece).startsWith(word)))
      .map(({ length }) => length),
  );

/** Whether each word of the search is in one of the texts. */
export const hasAll = (search: string, texts: readonly (string | null)[]): boolean => {
  const pieces = texts.flatMap((text) => piecesOf(text ?? ''));
  return wordsIn(search).every((word) => pieces.some((piece) => matchedIn(piece, [word]) > 0));
};

export const MarkedWords = ({ text, search }: { text: string; search: string }): ComponentChildren => {
  const words = wordsIn(search);
  if (words.length === 0) return text;
  return piecesOf(text).map((piece, place) => {
    const length = place % 2 === 1 ? matchedIn(piece, words) : 0;
    if (length === 0) return piece;
    return (
      <Fragment key={place}>
        <mark>{piece.slice(0, length)}</mark>
        {piece.slice(length)}
      </Fragment>
    );
  });
};

export const MarkedNumber = ({ number, search }: { number: string; search: string }): ComponentChildren => {
  const digits = numberIn(search);
  const place = digits === undefined || !isDigits(number.replace('+', '')) ? -1 : number.indexOf(digits);
  if (digits === undefined || place === -1) return number;
  return (
    <>
      {number.slice(0, place)}
      <mark>{digits}</mark>
      {number.slice(place + digits.length)}
    </>
  );
};
