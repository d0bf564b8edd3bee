/**
 * Turn-end judges. One of three decides that a turn of the other party is over: the pause after its words
 * (`pauses.ts`), the recognizer (`recognizer-ends.ts`) or a speech model (`model-ends.ts`). The number chooses; a judge
 * without an opinion falls back to pauses.
 */

/** A silence after words. Times are wall-clock milliseconds. */
export type Silence = {
  since: number;
  /** All words of the turn so far, including interim ones. */
  text: string;
  /** False while words may still change. */
  isSettled: boolean;
  /** The recognizer has marked the turn as complete, and neither words nor a voice followed. */
  isComplete: boolean;
};

/** Decides when the turns of one call end. */
export type TurnEndJudge = {
  /** The next audio of the other party, including silence. */
  write(samples: Int16Array): void;
  /** A voice has begun: discards the judgement of the silence before. */
  voiceBegan(): void;
  /** The voice has ended; its turn began at `turnBeganAt`. */
  voiceEnded(at: number, turnBeganAt: number): void;
  /**
   * Returns when the turn ends if the other party stays silent, possibly in the past. `onChange` reports a later
   * change.
   */
  overAt(silence: Silence): number;
  /** Releases everything. Idempotent. */
  close(): void;
};

/** Opens a judge for a call. */
export type OpenTurnEndJudge = (onChange: () => void) => TurnEndJudge;
