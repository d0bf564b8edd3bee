/** The words that were said of each message, by its id, and whether the same words were said under another one. */
export type SaidWords = {
  /** Empty where nothing was said of it. */
  of(id: string): string;
  add(id: string, words: string): void;
  remove(id: string): void;
  /** Whether a message that is not this one was said in these words, but for the space around them. */
  repeats(message: { id: string; text: string }): boolean;
};

export const createSaidWords = (): SaidWords => {
  const said = new Map<string, string>();
  /** Ids by the words of their messages, and the words under which each id stands there. */
  const idsByWords = new Map<string, Set<string>>();
  const wordsById = new Map<string, string>();
  /** Messages that have changed since they were last looked for by their words. */
  const changed = new Set<string>();

  /** A graph's state may hold thousands of messages; each is looked up once, and again when it has changed. */
  const lookUpChanged = (): void => {
    for (const id of changed) {
      idsByWords.get(wordsById.get(id) ?? '')?.delete(id);
      const words = said.get(id)?.trim();
      if (words === undefined) continue;
      wordsById.set(id, words);
      idsByWords.set(words, (idsByWords.get(words) ?? new Set()).add(id));
    }
    changed.clear();
  };

  return {
    of: (id) => said.get(id) ?? '',
    add(id, words) {
      said.set(id, `${said.get(id) ?? ''}${words}`);
      changed.add(id);
    },
    remove(id) {
      said.delete(id);
      changed.add(id);
    },
    repeats({ id, text }) {
      if (id === '' || said.has(id)) return false;
      lookUpChanged();
      return (idsByWords.get(text.trim())?.size ?? 0) > 0;
    },
  };
};
