/**
 * Returns the new part of recognized words, because some words are used before they are final and their final version
 * arrives again.
 */
import { hasWords } from './turn.ts';

export type NewWords = {
  /** Whether words have arrived while they were spoken. */
  comeEarly(): boolean;
  /** Called when a turn has ended with these words, which may not be final. */
  take(partial: string): void;
  /** Resets the state, because another recognizer returns the words from now on. */
  forget(): void;
  /** Returns the new words. `hasTurn`: a voice has begun since the last turn. */
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
      // Final words may be spelled differently. Without a new voice, final words are the same as the preliminary ones.
      return hasTurn ? text : '';
    },
  };
};
