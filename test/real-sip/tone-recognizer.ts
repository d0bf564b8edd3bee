/** A recognizer that understands only `sayInTones`. */
import type { RecognitionEvent, Recognizer } from '#sip/audio/speech.ts';
import { createToneDecoder } from './tone-speech.ts';

/** `words`: emits words like a streaming engine. `sentences`: emits words only when a pause may end them. */
export const toneRecognizer = (gives: 'words' | 'sentences' = 'words'): Recognizer => ({
  name: 'tones',
  open(_options, emit) {
    const sentences: string[] = [];
    let isClosed = false;
    const say = (event: RecognitionEvent): void => {
      setImmediate(() => {
        if (!isClosed) emit(event);
      });
    };
    const decoder = createToneDecoder({
      words(text) {
        if (gives === 'words') say({ type: 'partial', text });
      },
      whole(text) {
        if (gives === 'words') say({ type: 'final', text });
        else sentences.push(text);
      },
    });
    return {
      write: decoder.write,
      speechBegan() {},
      speechEnded() {
        const text = sentences.splice(0).join(' ');
        if (text !== '') say({ type: 'final', text });
      },
      close() {
        isClosed = true;
      },
    };
  },
});
