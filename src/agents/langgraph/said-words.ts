/** Spoken words of each message by its id, and whether another message had the same words. */
export type SaidWords = {
  /** Empty if no words of the message were spoken. */
  of(id: string): string;
  add(id: string, words: string): void;
  remove(id: string): void;
  /** Whether another message had the same words, ignoring surrounding white space. */
  repeats(message: { id: string; text: string }): boolean;
};

export const createSaidWords = (): SaidWords => {
  const said = new Map<string, string>();
  /** Message ids by their words, and the words under which each id is indexed. */
  const idsByWords = new Map<string, Set<string>>();
  const wordsById = new Map<string, string>();
  /** Messages that have changed since the index was updated. */
  const changed = new Set<string>();

  /** A graph's state may contain thousands of messages; each is indexed once, and again after a change. */
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
