/** Active recordings of this gateway. */
import type { Logger } from 'pino';
import type { OpenRecording } from '#sip/audio/recording-sink.ts';
import type { Assembly } from './assembly.ts';
import { createRecorder, type PartFile, type Recorder, type RecordingOutcome } from './recorder.ts';
import type { NewPart } from './recording-folder.ts';

export type Recorders = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /**
   * Announces a call that this gateway took over from another process. The audio that is recorded here is then another
   * part of the call's recording.
   */
  expect(callId: string, earlier: EarlierRecording): void;
  /** Called at the end of the call. If its expected recording never began, the earlier parts become the recording. */
  release(callId: string): void;
  /**
   * Called when another process takes over the call. Resolves when the call's line has released the recording and all
   * audio is written.
   */
  leave(callId: string): Promise<void>;
  /** Whether this gateway records the call now. */
  isRecording(callId: string): boolean;
  /** Cuts off active recordings and waits until their recordings are made. */
  close(): Promise<void>;
};

/** A recording that another process began. */
export type EarlierRecording = {
  /** Milliseconds from the answer of the call until now. */
  talkedMs: () => number;
  /** Gateway that held the call before this one. */
  node: string;
};

type RecordersOptions = {
  /** Creates the file of a part. `isWhole`: the only part of the call, which is written after it. */
  createPart: (part: NewPart, isWhole: boolean) => Promise<PartFile>;
  make: Assembly['make'];
  /** Name of this gateway among those of the database. */
  node: string;
  logger: Logger;
};

export const createRecorders = ({ createPart, make, node, logger }: RecordersOptions): Recorders => {
  const underWay = new Map<Recorder, Promise<void>>();
  /** The active recordings by call. */
  const ofCalls = new Map<string, Promise<void>>();
  const settling = new Set<Promise<void>>();
  /** Calls that another process has recorded so far. */
  const expected = new Map<string, EarlierRecording>();

  const settle = async (
    callId: string,
    outcome: RecordingOutcome,
    takenFrom: string | null,
  ): Promise<void> => {
    if (outcome.status === 'left') return;
    if (outcome.status === 'failed')
      logger.error(
        { call_id: callId, err: outcome.error },
        'writing a recording failed; the recorded part is kept',
      );
    await make(callId, { takenFrom });
  };

  return {
    expect: (callId, earlier) => void expected.set(callId, earlier),
    release(callId) {
      const earlier = expected.get(callId);
      if (earlier === undefined) return;
      expected.delete(callId);
      const settled = make(callId, { takenFrom: earlier.node }).finally(() => settling.delete(settled));
      settling.add(settled);
    },
    begin(callId, extent = 'from now') {
      const earlier = extent === 'whole' ? undefined : expected.get(callId);
      const fromMs = earlier?.talkedMs() ?? 0;
      expected.delete(callId);
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const recorder = createRecorder(
        () => createPart({ callId, fromMs, node }, extent === 'whole'),
        async (outcome) => {
          ofCalls.delete(callId);
          await settle(callId, outcome, earlier?.node ?? null);
          underWay.delete(recorder);
          end();
        },
      );
      underWay.set(recorder, ended);
      ofCalls.set(callId, ended);
      return recorder;
    },
    async leave(callId) {
      expected.delete(callId);
      await ofCalls.get(callId);
    },
    isRecording: (callId) => ofCalls.has(callId),
    async close() {
      for (const recorder of underWay.keys()) recorder.cut();
      await Promise.all([...underWay.values(), ...settling]);
    },
  };
};
