/**
 * Turn-end judges. One of three judges decides that a turn of the other party is over: the pause after the turn's words
 * (`pauses.ts`), the recognizer (`recognizer-ends.ts`) or a speech model (`model-ends.ts`). The number chooses the
 * judge; a judge without an opinion falls back to pauses.
 */

/** A silence after words. Times are wall-clock milliseconds. */
export type Silence = {
  since: number;
  /** All words of the turn so far, including interim ones. */
  text: string;
  /** Whether the words are final; false while they may still change. */
  isSettled: boolean;
  /** Whether the recognizer has marked the turn as complete, and neither words nor a voice followed. */
  isComplete: boolean;
};

/** Decides when the turns of one call end. */
export type TurnEndJudge = {
  /** Processes the next audio of the other party, including silence. */
  write(samples: Int16Array): void;
  /** Called when a voice has begun. Discards the judgement of the silence before it. */
  voiceBegan(): void;
  /** Called when the voice has ended. The turn of this voice began at `turnBeganAt`. */
  voiceEnded(at: number, turnBeganAt: number): void;
  /**
   * Returns when the turn ends if the other party stays silent; the time may be in the past. `onChange` reports a later
   * change.
   */
  overAt(silence: Silence): number;
  /** Releases all resources. Idempotent. */
  close(): void;
};

/** Opens a judge for a call. */
export type OpenTurnEndJudge = (onChange: () => void) => TurnEndJudge;
