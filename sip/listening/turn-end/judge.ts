/**
 * The judges, one of whom decides that a turn of the other party is over. There are three: the pause behind its words
 * (`pauses.ts`), the recognizer (`recognizer-ends.ts`), and a model of speech (`model-ends.ts`). Which one is the
 * number's choice; one that has nothing to say leaves it to the pauses.
 */

/** A silence behind words, as far as it is known. Times are wall-clock milliseconds. */
export type Silence = {
  since: number;
  /** The words of the turn so far … */
  text: string;
  /** … of which the last may still change. */
  isSettled: boolean;
  /** The recognizer has taken the turn for complete, and no word and no voice came since. */
  isComplete: boolean;
};

/** One for each call. */
export type TurnEndJudge = {
  /** The next sound of the other party, silence included. */
  write(samples: Int16Array): void;
  /** A voice is on: what was thought of the silence before holds no more. */
  voiceBegan(): void;
  /** It is gone; the turn to which it belongs has begun at `turnBeganAt`. */
  voiceEnded(at: number, turnBeganAt: number): void;
  /**
   * When the turn is over if nobody says anything until then. It may lie in the past; what is known later may change it,
   * which `onChange` tells where it does not come by what is asked here.
   */
  overAt(silence: Silence): number;
  /** Lets go of everything. Idempotent. */
  close(): void;
};

/** Opens one for a call. */
export type OpenTurnEndJudge = (onChange: () => void) => TurnEndJudge;
