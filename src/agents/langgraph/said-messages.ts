/**
 * Extracts new words from the messages of a run. The same words arrive several times: each partial message repeats the
 * text so far, the complete message repeats all of it, and the parent graph repeats a subgraph's message. The spoken
 * text is stored for each message id, and only the continuation of the text is spoken.
 */
import { type ReplyPiece, sentenceEnd } from '../agent.ts';
import type { GraphMessage } from './message.ts';

/** Spoken words of each message by its id. Another message may have the same words. */
type SaidWords = {
  /** Returns the words of a message that were spoken; empty if none were. */
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
  /** Ids of messages that have changed since the index was updated. */
  const changed = new Set<string>();

  /**
   * Updates the index. A graph's state may contain thousands of messages, so each is indexed once, and again only after
   * a change.
   */
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

export type SaidMessages = {
  /** Processes a message with its whole text so far. */
  grow(message: GraphMessage): Generator<ReplyPiece, void, undefined>;
  /** Processes a message with only its new text. */
  add(message: GraphMessage): Generator<ReplyPiece, void, undefined>;
  /**
   * Processes messages that are new in the graph's state. On later turns the new messages include the whole history.
   */
  complete(messages: readonly GraphMessage[]): Generator<ReplyPiece, void, undefined>;
  /** Whether any words were spoken. */
  hasWords(): boolean;
  /** Whether the agent's last message is empty by choice, not because it calls tools or was cut off. */
  choseSilence(): boolean;
  /** Whether the last message with words was never completed, although this server completes its messages. */
  endsEarly(): boolean;
  /** Whether a message changed after its beginning was spoken. */
  hasChanged(): boolean;
};

export const createSaidMessages = (): SaidMessages => {
  const said = createSaidWords();
  const seen = { words: false, change: false, completion: false };
  /** Newest message of the agent. */
  let last: GraphMessage | undefined;
  /** Id of the message with the last words, until that message is complete. */
  let speaking: string | undefined;

  function* speak(id: string, words: string): Generator<ReplyPiece, void, undefined> {
    if (words === '') return;
    if (speaking !== undefined && speaking !== id) yield sentenceEnd;
    speaking = id;
    seen.words ||= words.trim() !== '';
    said.add(id, words);
    yield words;
  }

  function* grow(message: GraphMessage): Generator<ReplyPiece, void, undefined> {
    const { id, from, text } = message;
    if (from !== 'agent') return;
    last = message;
    const before = said.of(id);
    if (text.startsWith(before)) yield* speak(id, text.slice(before.length));
    // A shorter text is ignored, because it is older or trimmed, and spoken words cannot be taken back.
    else if (!before.startsWith(text)) seen.change = true;
  }

  function* completeOne(message: GraphMessage): Generator<ReplyPiece, void, undefined> {
    const { id, text } = message;
    // A node that streams a model may then return the same text as a message of its own, which must not be spoken
    // again.
    if (said.repeats(message)) said.add(id, text);
    yield* grow(message);
    // A message without an id is not stored, because the next message could not be distinguished from it.
    if (id === '') said.remove(id);
    if (speaking !== id) return;
    speaking = undefined;
    yield sentenceEnd;
  }

  return {
    grow,
    *add(message) {
      const { id, from, text } = message;
      if (from !== 'agent') return;
      // A message in parts ends with an empty part, which does not declare silence.
      const isSame = last !== undefined && last.id === id;
      last = isSame ? { ...message, callsTools: message.callsTools || last?.callsTools === true } : message;
      yield* speak(id, text);
    },
    *complete(messages) {
      seen.completion ||= messages.some(({ from }) => from === 'human');
      const lastHuman = messages.findLastIndex(({ from }) => from === 'human');
      for (const message of messages.slice(lastHuman + 1))
        if (message.from === 'agent') yield* completeOne(message);
    },
    hasWords: () => seen.words,
    choseSilence: () =>
      !seen.words && last !== undefined && last.text.trim() === '' && !last.callsTools && !last.isCutOff,
    endsEarly: () => last?.isCutOff === true || (seen.completion && speaking !== undefined),
    hasChanged: () => seen.change,
  };
};
