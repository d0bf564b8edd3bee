/** A recognizer that knows the words in advance, and emits them as late as real ones do. */
import type { RecognitionEvent, Recognizer } from '#sip/audio/speech.ts';

/**
 * `words`: emits words one by one, like a streaming engine. `sentences`: emits each sentence at the pause after it.
 */
export type Gives = 'words' | 'sentences';

/** Time from the end of a word to its recognition during further speech. */
const wordMs = 300;
/** Time from a pause to the final words: of a streaming engine, and of one that starts then. */
const settledMs = { words: 200, sentences: 700 };

export const scriptedRecognizer = (
  gives: Gives,
  after: (milliseconds: number, act: () => void) => void,
): Recognizer & {
  /** Announces that these words begin now and last this long; `null` for a sound without words. */
  hear(text: string | null, milliseconds: number): void;
  /** Makes the engine reveal, by an earlier utterance, how it emits words. */
  show(): void;
} => {
  let tell: (event: RecognitionEvent) => void = () => {};
  let spoken: string | null = null;
  return {
    name: `scripted ${gives}`,
    open(_options, emit) {
      tell = emit;
      return {
        write() {},
        speechBegan() {},
        speechEnded() {
          const text = spoken;
          spoken = null;
          if (text !== null) after(settledMs[gives], () => tell({ type: 'final', text }));
        },
        close() {},
      };
    },
    show() {
      if (gives === 'words') tell({ type: 'partial', text: 'hello' });
      tell({ type: 'final', text: 'Hello.' });
    },
    hear(text, milliseconds) {
      spoken = text;
      if (text === null || gives === 'sentences') return;
      const words = text.split(' ');
      for (const [index] of words.entries()) {
        const soFar = words.slice(0, index + 1).join(' ');
        const endsMs = (milliseconds * soFar.length) / text.length;
        after(endsMs + wordMs, () => {
          if (spoken !== null) tell({ type: 'partial', text: soFar });
        });
      }
    },
  };
};
