/**
 * Finds tags such as `<keys press="1"/>` in a text that arrives in pieces, cut anywhere. Text that only resembles the
 * beginning of a tag is returned as soon as this is clear. The opening of an unclosed control is removed, because it is
 * not meant to be spoken. Each character is examined a bounded number of times.
 */
import { isCutControl, opensControl } from './read-control.ts';

/** A tag. `source` is the text between the brackets. */
export type Tag = { source: string };

/** Stands for the opening of an unclosed control, which was removed from the text. */
export const unclosedControl = Symbol('unclosed control');

export type TagPart = string | Tag | typeof unclosedControl;

export type TagFinder = {
  /** Returns texts and tags in order. A possible beginning of a tag is held back. */
  add(piece: string): TagPart[];
  /** Returns the held-back text at the end of the input. */
  end(): TagPart[];
};

/** Maximum number of characters in a tag; longer text is not a tag. */
const longestTag = 2_000;

/** Maximum number of characters in a control: two texts of the longest length, escaped. */
const longestControl = 8_000;

type Quote = '"' | "'";

type Reading =
  | { in: 'text' }
  /**
   * State within a tag. `quote` keeps the tag open until the same quote occurs again. `sign` is the last character
   * other than white space.
   */
  | { in: 'tag'; quote: Quote | null; sign: string }
  /** State within an overlong control, which is removed up to the next closing bracket. */
  | { in: 'overlong control' };

const opensTag = /[a-z/]/iu;

/** Matches the name of an unclosed control and text that resembles its attributes. */
const unclosedOpening = /^<[a-z]+(?:\s+[a-z_-]+\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'<>]*))*\s*\/?/iu;

const isQuote = (character: string): character is Quote => character === '"' || character === "'";

export const createTagFinder = (): TagFinder => {
  let reading: Reading = { in: 'text' };
  /** Characters of a tag, beginning with its bracket. */
  let held = '';
  let found: TagPart[] = [];

  const give = (part: TagPart): void => {
    const last = found.at(-1);
    if (typeof part === 'string' && typeof last === 'string') found[found.length - 1] = last + part;
    else if (part !== '') found.push(part);
  };

  const release = (): string => {
    const text = held;
    held = '';
    reading = { in: 'text' };
    return text;
  };

  /** Releases held text that is not a tag: the opening of a control is removed, and the rest is scanned again. */
  const giveUp = (): void => {
    const text = release();
    if (!opensControl(text)) return give(text);
    give(unclosedControl);
    const bracket = text.indexOf('>');
    read(text.slice(bracket === -1 ? unclosedOpening.exec(text)?.[0].length : bracket + 1));
  };

  const closeTag = (): void => give({ source: release().slice(1) });

  const leaveOutOverlong = (): void => {
    if (held.includes('>')) return giveUp();
    release();
    give(unclosedControl);
    reading = { in: 'overlong control' };
  };

  const hold = (character: string, { quote, sign }: Extract<Reading, { in: 'tag' }>): void => {
    held += character;
    const opened = quote === null && sign === '=' && isQuote(character) ? character : quote;
    reading = {
      in: 'tag',
      quote: quote === character ? null : opened,
      sign: /\s/u.test(character) ? sign : character,
    };
    if (held.length === longestTag && !opensControl(held)) giveUp();
    else if (held.length === longestControl) leaveOutOverlong();
  };

  const readCharacter = (character: string): void => {
    if (reading.in === 'tag' && reading.quote === null && character === '<') giveUp();
    if (reading.in === 'text') {
      if (character !== '<') return give(character);
      held = character;
      reading = { in: 'tag', quote: null, sign: character };
    } else if (reading.in === 'overlong control') {
      if (character === '>') reading = { in: 'text' };
    } else if (held.length === 1 && !opensTag.test(character)) give(release() + character);
    else if (character === '>' && reading.quote === null) closeTag();
    else hold(character, reading);
  };

  const read = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) {
      if (reading.in === 'text') {
        const tag = text.indexOf('<', at);
        give(text.slice(at, tag === -1 ? undefined : tag));
        if (tag === -1) return;
        at = tag;
      }
      readCharacter(text.charAt(at));
    }
  };

  const taken = (): TagPart[] => {
    const parts = found;
    found = [];
    return parts;
  };

  return {
    add(piece) {
      read(piece);
      return taken();
    },
    end() {
      while (held !== '') {
        if (isCutControl(held)) {
          release();
          give(unclosedControl);
        } else giveUp();
      }
      reading = { in: 'text' };
      return taken();
    },
  };
};
