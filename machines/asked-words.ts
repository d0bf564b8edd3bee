/** Sentences of a program that are queued until the floor is free (`say.requested`). */

/** Maximum length of the queue. A text for an empty queue may be longer. */
export const mostAsked = { sentences: 100, characters: 8_000 } as const;

export const charactersOf = (sentences: readonly string[]): number =>
  sentences.reduce((sum, { length }) => sum + length, 0);

/** Whether these sentences fit into the queue. */
export const mayWait = (waiting: readonly string[], sentences: readonly string[]): boolean =>
  waiting.length === 0 ||
  (waiting.length + sentences.length <= mostAsked.sentences &&
    charactersOf(waiting) + charactersOf(sentences) <= mostAsked.characters);

/** Returns the queue with one more request. The queue is returned unchanged if it would become too long. */
export const withAsked = (waiting: readonly string[], sentences: readonly string[]): readonly string[] =>
  mayWait(waiting, sentences) ? [...waiting, ...sentences] : waiting;
