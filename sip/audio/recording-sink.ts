/** Interface of a recording for a line, which `src/recordings` implements. */

/** Sample rate of all recordings in Hz: twice the telephone's, for wideband calls. */
export const recordingSampleRate = 16_000;

export interface RecordingSink {
  /**
   * Appends audio: one channel per party, of equal length, 16-bit linear at `recordingSampleRate`. Must be called in
   * order and without gaps; silence is written too. The buffers must not be stored: their memory is used again.
   */
  write(counterparty: Int16Array, agent: Int16Array): void;
  /**
   * Resolves when the backlog is small, and at once after the end. Producers that are faster than real time wait for
   * this between pieces; the encoder drops audio beyond its limit.
   */
  drained(): Promise<void>;
  /** Completes the recording after the call has ended and all audio was written. Idempotent; ignored after `fail`. */
  finish(): void;
  /** Leaves the recording to another process, which continues it at its end. Idempotent. */
  leave(): void;
  /** Gives up the recording; the call continues. Idempotent. */
  fail(error: Error): void;
}

/** Receives the audio of one call as a recording does, for listening in. */
export type Overhearing = {
  /** Receives audio. Must not throw and must not store the buffers. */
  write: RecordingSink['write'];
  /** Whether the call has listeners now. */
  isWanted(): boolean;
  /** Called in place of `write` while no audio is needed. `samples` is the number of samples that have passed. */
  skip(samples: number): void;
};

export type Overhear = (callId: string) => Overhearing;

/** Sink for a call's recording, if there is one, and for the call's listeners. */
export type CallSink = RecordingSink & Pick<Overhearing, 'isWanted' | 'skip'>;

/**
 * Opens the recording of an answered call. The recording begins now; one that is `whole` begins at the answer and
 * replaces what other processes have recorded of the call.
 */
export type OpenRecording = (callId: string, extent?: 'from now' | 'whole') => RecordingSink;

const ignore = (): void => undefined;

/** Creates a sink that also passes the audio to a listener. `recording` is `null` for a call that is not recorded. */
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
