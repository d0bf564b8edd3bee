import { AgentFailure } from './agent.ts';
import { createModelMarks } from './model-marks.ts';
import { createSentenceCutter } from './sentences.ts';
import { createSpeakable } from './speakable.ts';

/** The utterances of one reply, while it is still being written. */
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
  /** Whether what came first has turned out to be thoughts; some of it may have been spoken. */
  thoughtAloud(): boolean;
};

/** Characters of speech; more than two hours of it. */
const longestSpeech = 64 * 1024;

/** `thinksAloud`: earlier replies of this agent began with thoughts whose beginning was not marked. */
export const createUtterances = ({ thinksAloud = false } = {}): Utterances => {
  const cutter = createSentenceCutter();
  const speakable = createSpeakable();
  let spoken = 0;
  /** Whether the last message ended within a sentence; nothing has followed it. */
  let endedTorn = false;

  let marks = createModelMarks({ thinksAloud });
  let thoughtAloud = false;

  const toSpeech = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => {
      const speech = speakable.say(sentence);
      spoken += speech?.length ?? 0;
      return speech === undefined ? [] : [speech];
    });

  return {
    add(piece) {
      const { text, retracts } = marks.add(piece);
      if (retracts) {
        thoughtAloud = true;
        cutter.end();
      }
      const speech = toSpeech(cutter.add(text));
      if (piece.trim() !== '') endedTorn = false;
      if (spoken > longestSpeech) {
        throw new AgentFailure('reply_too_large', `the reply is longer than ${longestSpeech} characters`);
      }
      return speech;
    },
    sentenceEnd() {
      const speech = toSpeech(cutter.add(marks.end()));
      endedTorn ||= cutter.isTorn();
      speech.push(...toSpeech(cutter.end()));
      speakable.reset();
      marks = createModelMarks();
      return speech;
    },
    pause: () => toSpeech(cutter.pause()),
    isTorn: () => endedTorn || cutter.isTorn(),
    end: () => toSpeech([...cutter.add(marks.end()), ...cutter.end()]),
    thoughtAloud: () => thoughtAloud,
  };
};

/** The utterances of a text that is there whole; none of one in which nothing can be spoken. */
export const sentencesOf = (text: string): string[] => {
  const utterances = createUtterances();
  return [...utterances.add(text), ...utterances.end()];
};
