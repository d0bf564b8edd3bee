/** A recognizer that knows beforehand what will be said, and tells it as late as real ones do. */
import type { RecognitionEvent, Recognizer } from '#sip/speech.ts';

/** By words: as an engine that streams. By sentences: when a pause has told it that one is over. */
export type Gives = 'words' | 'sentences';

/** From the end of a word to its being recognized while more is said. */
const wordMs = 300;
/** From a pause to the settled words: of an engine that streams, and of one that begins then. */
const settledMs = { words: 200, sentences: 700 };

export const scriptedRecognizer = (
  gives: Gives,
  after: (milliseconds: number, act: () => void) => void,
): Recognizer & {
  /** Somebody begins to say this, and takes so long; `null` is a sound without words. */
  hear(text: string | null, milliseconds: number): void;
  /** Shows how it gives words, as by what was said before. */
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
