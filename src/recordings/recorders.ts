/** Active recordings of this gateway. */
import type { Logger } from 'pino';
import type { OpenRecording } from '#sip/audio/recording-sink.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createEncoders, type Encoder, type RecordingFormat } from './encoder.ts';
import { createRecorder, type Recorder, type RecordingOutcome } from './recorder.ts';
import { openRecordingFile, partExtension, truncatedName, type RecordingFile } from './recording-file.ts';
import { formatOf, type CompleteFile, type RecordingFolder } from './recording-folder.ts';
import { cutToPlayable } from './salvage.ts';

export type Recorders = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /**
   * Announces a call that this gateway took over from another process. When its recording begins, the earlier recording
   * is continued.
   */
  expect(callId: string, earlier: EarlierRecording): void;
  /** Called at the end of the call: if its expected recording never began, the existing part becomes the recording. */
  release(callId: string): void;
  /**
   * Called when another process takes over the call. Resolves when its line has released the recording and everything
   * is written.
   */
  leave(callId: string): Promise<void>;
  /** Cuts off active recordings and waits until their outcomes are reported. */
  close(): Promise<void>;
};

/** A recording that another process began. */
export type EarlierRecording = {
  /** Milliseconds from the answer of the call until now. */
  talkedMs: () => number;
  /** Gateway that recorded the part. */
  node: string;
};

type RecordersOptions = {
  folder: RecordingFolder;
  format: RecordingFormat;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  /** Called if this gateway has no part of the recording: it is at another gateway. */
  onElsewhere: (callId: string, node: string) => void;
  /** Name of this gateway among those of the database. */
  node: string;
  clock: Clock;
  logger: Logger;
};

type Encoders = (format: RecordingFormat) => () => Promise<Encoder>;

/** A file in progress, with its final name in the folder. */
type Begun = { name: string; format: RecordingFormat; file: RecordingFile };

type Opening = Pick<RecordersOptions, 'folder' | 'format'> & { encoders: Encoders };

const openNew = async (
  callId: string,
  begunAt: number,
  { folder, format, encoders }: Opening,
): Promise<Begun> => {
  const name = folder.nameFor(callId, begunAt, format);
  return { name, format, file: await openRecordingFile(folder.pathOf(name), encoders(format)) };
};

/** Continues a file that another process began. */
const goOn = async (
  callId: string,
  { talkedMs, begunAt }: { talkedMs: number; begunAt: number },
  { folder, format, encoders }: Opening,
): Promise<Begun> => {
  const part = await folder.partOf(callId);
  const name = part?.slice(0, -partExtension.length) ?? folder.nameFor(callId, begunAt, format);
  const own = formatOf(name);
  const path = folder.pathOf(name);
  const playable = part === undefined ? null : await cutToPlayable(folder.pathOf(part), own);
  const earlier = playable && { ...playable, goesOnAtSec: talkedMs / 1_000 };
  const lacking = earlier === null ? { format: own, silentUntilSec: talkedMs / 1_000 } : null;
  return {
    name,
    format: own,
    file: await openRecordingFile(path, encoders(own), { earlier, lacking }),
  };
};

/** Reports the outcomes of recordings. */
const createOutcomes = ({ folder, clock, logger, node, ...options }: Omit<RecordersOptions, 'format'>) => {
  const lacking = (callId: string, earlier: EarlierRecording | undefined): void => {
    if (earlier === undefined || earlier.node === node) options.onFailed(callId);
    else options.onElsewhere(callId, earlier.node);
  };

  /** Returns the written part of a recording that has ended. */
  const kept = async (callId: string): Promise<CompleteFile | undefined> => {
    try {
      return await folder.salvage(callId);
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'saving the recorded part of a call failed');
      return undefined;
    }
  };

  const tell = async (
    callId: string,
    begun: Begun | null,
    outcome: RecordingOutcome,
    earlier: EarlierRecording | undefined,
  ): Promise<void> => {
    if (outcome.status === 'left') return;
    if (outcome.status === 'completed' && begun !== null) {
      const { status: _, ...sound } = outcome;
      const file = sound.truncated ? truncatedName(begun.name) : begun.name;
      options.onComplete({ callId, file, format: begun.format, ...sound, savedAt: clock.now() });
      return;
    }
    const reason = { call_id: callId, err: outcome.status === 'failed' && outcome.error };
    const file = await kept(callId);
    if (file !== undefined) {
      logger.error(reason, 'writing a recording failed; the recorded part is kept');
      options.onComplete(file);
      return;
    }
    logger.error(reason, 'a recording failed');
    // A file that cannot be removed now is removed at the next start.
    await folder.discard(callId).catch(() => {});
    lacking(callId, earlier);
  };

  /** Settles the recording of a call that was taken over without further recording. */
  const settle = async (callId: string, earlier: EarlierRecording): Promise<void> => {
    const file = await kept(callId);
    if (file === undefined) lacking(callId, earlier);
    else options.onComplete(file);
  };

  return { tell, settle };
};

export const createRecorders = (options: RecordersOptions): Recorders => {
  const { folder, format, clock } = options;
  const { tell, settle } = createOutcomes(options);
  const underWay = new Map<Recorder, Promise<void>>();
  /** The active recordings by call. */
  const ofCalls = new Map<string, Promise<void>>();
  const settling = new Set<Promise<void>>();
  /** Calls that another process has recorded so far. */
  const expected = new Map<string, EarlierRecording>();
  const sources = { ogg: createEncoders('ogg'), mp3: createEncoders('mp3') };
  const opening: Opening = { folder, format, encoders: (of) => sources[of] };

  return {
    expect: (callId, earlier) => void expected.set(callId, earlier),
    release(callId) {
      const earlier = expected.get(callId);
      if (earlier === undefined) return;
      expected.delete(callId);
      const settled = settle(callId, earlier).finally(() => settling.delete(settled));
      settling.add(settled);
    },
    begin(callId) {
      const begunAt = clock.now();
      const earlier = expected.get(callId);
      const talkedMs = earlier?.talkedMs();
      expected.delete(callId);
      let begun: Begun | null = null;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const recorder = createRecorder(
        async () => {
          begun = await (talkedMs === undefined
            ? openNew(callId, begunAt, opening)
            : goOn(callId, { talkedMs, begunAt }, opening));
          return begun.file;
        },
        async (outcome) => {
          await tell(callId, begun, outcome, earlier);
          underWay.delete(recorder);
          ofCalls.delete(callId);
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
    async close() {
      for (const recorder of underWay.keys()) recorder.cut();
      await Promise.all([...underWay.values(), ...settling]);
    },
  };
};
