/** A recording as a line needs it: a place to put sound as it happens. `src/recordings` provides it. */

/** Sample rate of all recordings, in Hz: what a telephone carries, doubled for wide-band calls. */
export const recordingSampleRate = 16_000;

export interface RecordingSink {
  /**
   * Adds the next stretch of the call: one channel a party, both of the same length, 16-bit linear at
   * `recordingSampleRate`. Called in order of time without holes; silence is written too.
   */
  write(counterparty: Int16Array, agent: Int16Array): void;
  /**
   * Resolves when little of what was written still waits, at once after the end. Who makes sound faster than a call
   * does waits for this between two stretches: of what comes too fast for the encoder not all can be kept.
   */
  drained(): Promise<void>;
  /** The call is over and everything was written. Idempotent; after `fail` it does nothing. */
  finish(): void;
  /** The call goes on in another process, and its recording with it, behind what was written. Idempotent. */
  leave(): void;
  /** The recording cannot be completed. The call goes on. Idempotent. */
  fail(error: Error): void;
}

/**
 * Takes the sound of one call as its recording does, whether it is recorded or not: for those who listen in. Must not
 * throw, and keeps nothing of what it is given.
 */
export type Overhear = (callId: string) => RecordingSink['write'];

/** Opens the recording of a call that was just answered. */
export type OpenRecording = (callId: string) => RecordingSink;
