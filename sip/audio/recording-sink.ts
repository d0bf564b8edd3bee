/** Interface of a recording for a line. `src/recordings` implements it. */

/** Sample rate of all recordings in Hz: twice the telephone's, for wideband calls. */
export const recordingSampleRate = 16_000;

export interface RecordingSink {
  /**
   * Appends audio: one channel per party, of equal length, 16-bit linear at `recordingSampleRate`. Called in order
   * without gaps; silence is written too.
   */
  write(counterparty: Int16Array, agent: Int16Array): void;
  /**
   * Resolves when the backlog is small, and at once after the end. Producers that are faster than real time wait for it
   * between pieces; the encoder drops audio beyond its limit.
   */
  drained(): Promise<void>;
  /** Completes the recording: the call has ended and everything was written. Idempotent; ignored after `fail`. */
  finish(): void;
  /** Leaves the recording to another process, which continues after what was written. Idempotent. */
  leave(): void;
  /** Gives up the recording; the call continues. Idempotent. */
  fail(error: Error): void;
}

/** Receives the audio of one call as a recording does, for listening in. */
export type Overhearing = {
  /** Must not throw and must not keep the buffers. */
  write: RecordingSink['write'];
  /** Whether the call has listeners now. */
  isWanted(): boolean;
  /** Called in place of `write` while the audio is not wanted: this many samples have passed. */
  skip(samples: number): void;
};

export type Overhear = (callId: string) => Overhearing;

/** One sink for the recording of a call, if it has one, and for its listeners. */
export type CallSink = RecordingSink & Pick<Overhearing, 'isWanted' | 'skip'>;

/** Opens the recording of an answered call. */
export type OpenRecording = (callId: string) => RecordingSink;

const ignore = (): void => undefined;

/** Recording sink that also passes the audio to a listener. `recording`: `null` for a call that is not recorded. */
export const overheardSink = (recording: RecordingSink | null, overhearing: Overhearing): CallSink => ({
  write(counterparty, agent) {
    recording?.write(counterparty, agent);
    overhearing.write(counterparty, agent);
  },
  isWanted: () => recording !== null || overhearing.isWanted(),
  skip: overhearing.skip,
  drained: () => recording?.drained() ?? Promise.resolve(),
  finish: recording?.finish ?? ignore,
  leave: recording?.leave ?? ignore,
  fail: recording?.fail ?? ignore,
});
