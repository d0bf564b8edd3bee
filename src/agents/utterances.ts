import { AgentFailure } from './agent.ts';
import { createSentenceCutter } from './sentences.ts';
import { createSpeakable } from './speakable.ts';

/** What is spoken of one reply, while it is still being written. */
export type Utterances = {
  /** What can be spoken with this piece. Throws an AgentFailure `reply_too_large` for a speech without end. */
  add(piece: string): string[];
  /** The message so far is complete; another may follow. */
  sentenceEnd(): string[];
  /** Nothing came for a moment: what can be spoken although more may follow. */
  pause(): string[];
  /** What is left at the end of the reply. */
  end(): string[];
};

/** Characters of speech; more than two hours of it. */
const longestSpeech = 64 * 1024;

export const createUtterances = (): Utterances => {
  const cutter = createSentenceCutter();
  const speakable = createSpeakable();
  let spoken = 0;

  const toSpeech = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => {
      const speech = speakable.say(sentence);
      spoken += speech?.length ?? 0;
      return speech === undefined ? [] : [speech];
    });

  return {
    add(piece) {
      const speech = toSpeech(cutter.add(piece));
      if (spoken > longestSpeech) {
        throw new AgentFailure('reply_too_large', `the reply is longer than ${longestSpeech} characters`);
      }
      return speech;
    },
    sentenceEnd() {
      const speech = toSpeech(cutter.end());
      speakable.reset();
      return speech;
    },
    pause: () => toSpeech(cutter.pause()),
    end: () => toSpeech(cutter.end()),
  };
};
