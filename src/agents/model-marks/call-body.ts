/**
 * What stands behind the mark of a tool call. Most models close it with another mark; some write the name and one JSON
 * value and nothing else (`[TOOL_CALLS] [{…}]`, `<function=book>{…}`), so that words may follow the value.
 */
import { createBareCall, type BareCall } from './bare-call.ts';

export type CallBody = {
  /** The rest of the text from where it is no part of the call; `undefined` while the call goes on. */
  add(text: string): string | undefined;
  /** The call is written in marks: only a mark ends it. */
  hasArgumentMarks(): void;
  /** Whether anything of a call was written; else the mark was only talked about. */
  isCall(): boolean;
};

const isSpace = (character: string): boolean => /\s/u.test(character);

type Reading =
  | { in: 'name' }
  | { in: 'value'; value: BareCall }
  | { in: 'behind' }
  /** Code, or arguments between marks. */
  | { in: 'marks' };

export const createCallBody = (): CallBody => {
  let reading: Reading = { in: 'name' };
  let hasText = false;

  const beginValue = (bracket: string): Reading => {
    const value = createBareCall({ isCall: true });
    value.add(bracket);
    return { in: 'value', value };
  };

  /** `words`: this character belongs to what is spoken. */
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
    // A tool's name is written in ASCII: other words only talk about the mark.
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
