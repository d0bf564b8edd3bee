/**
 * Finds tags such as `<keys press="1"/>` in a text that comes in pieces, cut anywhere. What only looks like the beginning
 * of one is given back as text as soon as that is clear. Each character is looked at once, whatever the text is.
 */

/** `source` holds everything between the brackets. */
export type Tag = { source: string };

export type TagFinder = {
  /** Texts and tags, in order; what may still become a tag is held back. */
  add(piece: string): (string | Tag)[];
  /** What was held back: no more comes. */
  end(): string;
};

/** Characters; behind so many of them what was opened is no tag. */
const longestTag = 2_000;

type Reading =
  | { in: 'text' }
  /** `quote` holds the tag open, whatever comes, until it comes again. */
  | { in: 'tag'; quote: '"' | "'" | null };

const opensTag = /[a-z/]/iu;

export const createTagFinder = (): TagFinder => {
  let reading: Reading = { in: 'text' };
  /** Characters of a tag, from its bracket on. */
  let held: string[] = [];

  const release = (): string => {
    const text = held.join('');
    held = [];
    reading = { in: 'text' };
    return text;
  };

  const open = (character: string): void => {
    reading = { in: 'tag', quote: null };
    held = [character];
  };

  /** Whether it can still be a tag with this character behind what is held. */
  const goesOn = (character: string): boolean =>
    held.length < longestTag && (held.length > 1 || opensTag.test(character));

  const quoteAfter = (character: string, quote: '"' | "'" | null): '"' | "'" | null => {
    if (quote !== null) return character === quote ? null : quote;
    return (character === '"' || character === "'") && held.at(-1) === '=' ? character : null;
  };

  return {
    add(piece) {
      const found: (string | Tag)[] = [];
      let text = '';
      const give = (tag: Tag): void => {
        if (text !== '') found.push(text);
        text = '';
        found.push(tag);
      };
      for (const character of piece) {
        if (reading.in === 'text') {
          if (character === '<') open(character);
          else text += character;
        } else if (character === '<' && reading.quote === null) {
          text += release();
          open(character);
        } else if (!goesOn(character)) text += release() + character;
        else if (character === '>' && reading.quote === null) {
          give({ source: held.slice(1).join('') });
          release();
        } else {
          reading = { in: 'tag', quote: quoteAfter(character, reading.quote) };
          held.push(character);
        }
      }
      if (text !== '') found.push(text);
      return found;
    },
    end: release,
  };
};
