/**
 * Leaves out what a reasoning model thinks aloud between `<think>` and `</think>`, in pieces that are cut anywhere. The
 * white space behind thoughts that come first goes with them.
 */
export type WithoutThoughts = {
  add(piece: string): string;
  /** What was held back because it might have been the beginning of a mark. */
  end(): string;
};

const opening = '<think>';
const closing = '</think>';

/** The number of last characters of the text that could be the beginning of the mark. */
const beginningOf = (mark: string, text: string): number => {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length -= 1) {
    if (mark.startsWith(text.slice(-length))) return length;
  }
  return 0;
};

export const withoutThoughts = (): WithoutThoughts => {
  let held = '';
  let isThinking = false;
  /** What was said before: nothing, nothing but thoughts, or words. */
  let before: 'nothing' | 'thoughts' | 'words' = 'nothing';

  const say = (text: string): string => {
    const said = before === 'thoughts' ? text.trimStart() : text;
    if (said.trim() !== '') before = 'words';
    return said;
  };

  return {
    add(piece) {
      let said = '';
      held += piece;
      for (;;) {
        const mark = isThinking ? closing : opening;
        const found = held.indexOf(mark);
        if (found === -1) break;
        if (!isThinking) said += say(held.slice(0, found));
        held = held.slice(found + mark.length);
        isThinking = !isThinking;
        if (before === 'nothing') before = 'thoughts';
      }
      const kept = beginningOf(isThinking ? closing : opening, held);
      if (!isThinking) said += say(held.slice(0, held.length - kept));
      held = kept === 0 ? '' : held.slice(-kept);
      return said;
    },
    end() {
      const rest = isThinking ? '' : say(held);
      held = '';
      return rest;
    },
  };
};
