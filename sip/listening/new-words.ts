/** Takes what is new of the words that a recognizer gives: some were taken before they were settled, and come again. */
import { hasWords } from './turn.ts';

export type NewWords = {
  /** Whether some came while they were spoken. */
  comeEarly(): boolean;
  /** A turn has ended with these words, which may not be settled. */
  take(partial: string): void;
  /** Another recognizer gives them from now on. */
  forget(): void;
  /** `hasTurn`: a voice has begun since. */
  newOf(text: string, isFinal: boolean, hasTurn: boolean): string;
};

export const createNewWords = (): NewWords => {
  let taken = '';
  let comeEarly = false;
  return {
    comeEarly: () => comeEarly,
    take(partial) {
      taken = partial.trim();
    },
    forget() {
      taken = '';
      comeEarly = false;
    },
    newOf(text, isFinal, hasTurn) {
      if (!isFinal && hasWords(text)) comeEarly = true;
      const before = taken;
      if (isFinal) taken = '';
      if (before === '') return text;
      if (text.startsWith(before)) return text.slice(before.length);
      // Settled they may read otherwise; without a new voice they are the same.
      return hasTurn ? text : '';
    },
  };
};
