/** Sentences of a program that wait for the floor (`say.requested`). */

/** The most that may wait. The first text to wait may be longer. */
export const mostAsked = { sentences: 100, characters: 8_000 } as const;

export const charactersOf = (sentences: readonly string[]): number =>
  sentences.reduce((sum, { length }) => sum + length, 0);

/** Whether these may wait behind those. */
export const mayWait = (waiting: readonly string[], sentences: readonly string[]): boolean =>
  waiting.length === 0 ||
  (waiting.length + sentences.length <= mostAsked.sentences &&
    charactersOf(waiting) + charactersOf(sentences) <= mostAsked.characters);

/** Those that wait with one more request; without it where too many do. */
export const withAsked = (waiting: readonly string[], sentences: readonly string[]): readonly string[] =>
  mayWait(waiting, sentences) ? [...waiting, ...sentences] : waiting;
