/**
 * New words in the messages of a run. The same words come several times: each partial repeats the text so far, the
 * complete message repeats it all, and a subgraph's message comes again from its parent. So what was said is kept for
 * each message id, and only what goes beyond it is spoken.
 */
import { sentenceEnd, type ReplyPiece } from '../agent.ts';
import type { GraphMessage } from './message.ts';
import { createSaidWords } from './said-words.ts';

export type SaidMessages = {
  /** A message with its whole text so far. */
  grow(message: GraphMessage): Generator<ReplyPiece, void, undefined>;
  /** A message with nothing but what is new in it. */
  add(message: GraphMessage): Generator<ReplyPiece, void, undefined>;
  /** Messages that are new in the graph's state; on later turns the whole history is among them. */
  complete(messages: readonly GraphMessage[]): Generator<ReplyPiece, void, undefined>;
  /** Whether anything was said. */
  hasWords(): boolean;
  /** Whether the agent's last message is empty by itself, and not because it calls tools or was cut off. */
  choseSilence(): boolean;
  /** Whether the last message with words never became complete, although this server completes its messages. */
  endsEarly(): boolean;
  /** Whether a message became another one after its beginning was said. */
  hasChanged(): boolean;
};

export const createSaidMessages = (): SaidMessages => {
  const said = createSaidWords();
  const seen = { words: false, change: false, completion: false };
  /** The newest message of the agent. */
  let last: GraphMessage | undefined;
  /** The message that the last words belong to, until it is complete. */
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
    // A shorter text is an older one, or was trimmed. Words that were said cannot be taken back.
    else if (!before.startsWith(text)) seen.change = true;
  }

  function* completeOne(message: GraphMessage): Generator<ReplyPiece, void, undefined> {
    const { id, text } = message;
    // A node that streams a model and then returns its text as a message of its own says it a second time.
    if (said.repeats(message)) said.add(id, text);
    yield* grow(message);
    // Without an id the next message could not be told from this one.
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
      // A message comes in parts here, and the last of them is always empty.
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
