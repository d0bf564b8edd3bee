/**
 * The words of one reply so far. Some servers repeat all words at the end: in the last delta, as a message after the
 * deltas, or from a node that responds with another node's streamed text. Repeated words are spoken only once.
 */
export type SaidSoFar = {
  /**
   * Returns the new part of a piece. `isWhole`: the piece is the whole reply, not the next part of it. `isLast`: the
   * piece ends the reply.
   */
  newIn(piece: string, options?: { isWhole?: boolean; isLast?: boolean }): string;
  /** Begins another step or node, because the whole reply may consist of the last steps only. */
  beginPart(): void;
  /** Retracts all text so far. */
  clear(): void;
};

/**
 * Minimum number of characters, without spaces, of a piece or whole sentence that does not equal the earlier text by
 * chance.
 */
const longEnough = 12;

/** Maximum number of steps of an agent that a repeated whole reply may span. */
const mostParts = 8;

const bare = (text: string): string => text.replaceAll(/\s+/gu, '');

/** Returns the index in a text after a number of characters other than spaces. */
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
  /** Words so far without spaces, because a repetition may have different spaces. */
  let said = '';
  let pieces = 0;
  /** Positions at which the newest parts begin. */
  let parts: number[] = [];

  const isRepeated = (words: string, { isWhole, isLast }: { isWhole: boolean; isLast: boolean }): boolean => {
    const isSentence = /[.!?…。！？]$/u.test(words);
    const isSure = isWhole || words.length >= longEnough || (isSentence && (isLast || pieces > 1));
    return isSure && (words === said || (isLast && parts.some((start) => said.slice(start) === words)));
  };

  return {
    newIn(piece, { isWhole = false, isLast = false } = {}) {
      // Only a piece that is as long as all earlier text is compared, so that each character is compared a bounded
      // number of times.
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
