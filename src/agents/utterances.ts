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
  /** Whether the last sentence so far lacks its end, given out already or not. */
  isTorn(): boolean;
  /** What is left at the end of the reply. */
  end(): string[];
};

/** Characters of speech; more than two hours of it. */
const longestSpeech = 64 * 1024;

export const createUtterances = (): Utterances => {
  const cutter = createSentenceCutter();
  const speakable = createSpeakable();
  let spoken = 0;
  /** Whether the last message ended within a sentence; nothing has followed it. */
  let endedTorn = false;

  const toSpeech = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => {
      const speech = speakable.say(sentence);
      spoken += speech?.length ?? 0;
      return speech === undefined ? [] : [speech];
    });

  return {
    add(piece) {
      const speech = toSpeech(cutter.add(piece));
      if (piece.trim() !== '') endedTorn = false;
      if (spoken > longestSpeech) {
        throw new AgentFailure('reply_too_large', `the reply is longer than ${longestSpeech} characters`);
      }
      return speech;
    },
    sentenceEnd() {
      endedTorn ||= cutter.isTorn();
      const speech = toSpeech(cutter.end());
      speakable.reset();
      return speech;
    },
    pause: () => toSpeech(cutter.pause()),
    isTorn: () => endedTorn || cutter.isTorn(),
    end: () => toSpeech(cutter.end()),
  };
};
