/**
 * The text after the mark of a tool call. Most models close this text with another mark. Some write only the name and
 * one JSON value (`[TOOL_CALLS] [{…}]`, `<function=book>{…}`), so that words may follow the value.
 */
import { createBareCall, type BareCall } from './bare-call.ts';

export type CallBody = {
  /** Returns the remaining text after the end of the call; `undefined` while the call continues. */
  add(text: string): string | undefined;
  /** Notes that the call is written in marks, so that only a mark ends it. */
  hasArgumentMarks(): void;
  /** Whether any part of a call was written. If not, the text only mentioned the mark. */
  isCall(): boolean;
};

const isSpace = (character: string): boolean => /\s/u.test(character);

type Reading =
  | { in: 'name' }
  | { in: 'value'; value: BareCall }
  | { in: 'behind' }
  /** State within code, or within arguments between marks. */
  | { in: 'marks' };

export const createCallBody = (): CallBody => {
  let reading: Reading = { in: 'name' };
  let hasText = false;

  const beginValue = (bracket: string): Reading => {
    const value = createBareCall({ isCall: true });
    value.add(bracket);
    return { in: 'value', value };
  };

  /** Takes a character. Returns `words` if the character belongs to spoken text. */
  const take = (character: string): 'words' | 'call' => {
    if (reading.in === 'marks') return 'call';
    if (reading.in === 'value') {
      if (reading.value.add(character) !== 'open') reading = { in: 'behind' };
      return 'call';
    }
    if (character === '{' || character === '[') {
      hasText = true;
      reading = beginValue(character);
      return 'call';
    }
    if (isSpace(character)) return 'call';
    if (reading.in === 'behind') return /[\p{L}\p{N}]/u.test(character) ? 'words' : 'call';
    // A tool's name is ASCII. Other words mean that the text only mentions the mark.
    if (!hasText && /[^\p{ASCII}]/u.test(character)) return 'words';
    hasText = true;
    if (!/[\w.:/-]/u.test(character)) reading = { in: 'marks' };
    return 'call';
  };

  return {
    add(text) {
      let at = 0;
      for (const character of text) {
        if (take(character) === 'words') return text.slice(at);
        at += character.length;
      }
      return undefined;
    },
    hasArgumentMarks() {
      hasText = true;
      reading = { in: 'marks' };
    },
    isCall: () => hasText,
  };
};
