/**
 * The words of one reply so far. Some servers send all of them again at the end: in the last delta, as a message behind
 * the deltas, from a node that responds with what another one has streamed. They are spoken once.
 */
export type SaidSoFar = {
  /**
   * What is new in a piece. `isWhole`: the server sends the whole reply here, not the next part of it; `isLast`: it ends
   * the reply.
   */
  newIn(piece: string, options?: { isWhole?: boolean; isLast?: boolean }): string;
  /** Another step or node begins; the whole reply may be that of the last ones alone. */
  beginPart(): void;
  /** Nothing of it was a reply. */
  clear(): void;
};

/** Characters without spaces; a piece so long is never the same as all before it by chance, nor is a whole sentence. */
const longEnough = 12;

/** Steps of an agent behind which its whole reply may stand. */
const mostParts = 8;

const bare = (text: string): string => text.replaceAll(/\s+/gu, '');

/** Where in a text so many characters that are no spaces have passed. */
const placeBehind = (text: string, count: number): number => {
  let left = count;
  let at = 0;
  while (left > 0 && at < text.length) {
    if (/\S/u.test(text.charAt(at))) left -= 1;
    at += 1;
  }
  return at;
};

export const createSaidSoFar = (): SaidSoFar => {
  /** Without spaces: a repetition may have others. */
  let said = '';
  let pieces = 0;
  /** Where the newest parts begin. */
  let parts: number[] = [];

  const isRepeated = (words: string, { isWhole, isLast }: { isWhole: boolean; isLast: boolean }): boolean => {
    const isSentence = /[.!?…。！？]$/u.test(words);
    const isSure = isWhole || words.length >= longEnough || (isSentence && (isLast || pieces > 1));
    return isSure && (words === said || (isLast && parts.some((start) => said.slice(start) === words)));
  };

  return {
    newIn(piece, { isWhole = false, isLast = false } = {}) {
      // Only a piece as long as all before it is compared, so that each character is compared a bounded number of times.
      if (said !== '' && piece.length >= said.length - (parts.at(-1) ?? 0)) {
        const words = bare(piece);
        if (words !== '' && isRepeated(words, { isWhole, isLast })) return '';
        const mayGoOn = isWhole || (isLast && said.length >= longEnough);
        if (mayGoOn && words.startsWith(said)) {
          const place = placeBehind(piece, said.length);
          said = words;
          return piece.slice(place);
        }
      }
      const added = bare(piece);
      if (added !== '') pieces += 1;
      said += added;
      return piece;
    },
    beginPart() {
      if (said.length > (parts.at(-1) ?? 0)) parts = [...parts, said.length].slice(-mostParts);
    },
    clear() {
      said = '';
      pieces = 0;
      parts = [];
    },
  };
};
