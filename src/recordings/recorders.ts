/** The recordings of this gateway that are being written. */
import type { Logger } from 'pino';
import type { OpenRecording } from '#sip/recording-sink.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createEncoders, type Encoder, type RecordingFormat } from './encoder.ts';
import { createRecorder, type Recorder, type RecordingOutcome } from './recorder.ts';
import { openRecordingFile, partExtension, truncatedName, type RecordingFile } from './recording-file.ts';
import { formatOf, type CompleteFile, type RecordingFolder } from './recording-folder.ts';
import { cutToPlayable } from './salvage.ts';

export type Recorders = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /** This call goes on here; another process has recorded it until now. When its recording begins, that is gone on with. */
  expect(callId: string, earlier: EarlierRecording): void;
  /** The call is over: where its recording was expected and never begun, what there is of it is the recording. */
  release(callId: string): void;
  /** Another process goes on with this call. Resolves when its line has let go of its recording, and all is written. */
  leave(callId: string): Promise<void>;
  /** Cuts off what is still being written and waits until that is said. */
  close(): Promise<void>;
};

/** A recording that another process has begun. */
export type EarlierRecording = {
  /** Milliseconds since the answer of the call, until it is asked. */
  talkedMs: () => number;
  /** The gateway that recorded it. */
  node: string;
};

type RecordersOptions = {
  folder: Pick<RecordingFolder, 'nameFor' | 'pathOf' | 'partOf' | 'salvage' | 'discard'>;
  format: RecordingFormat;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  /** Nothing of the recording is here: what there is of it lies at another gateway. */
  onElsewhere: (callId: string, node: string) => void;
  /** The name of this gateway among those that share the database. */
  node: string;
  clock: Clock;
  logger: Logger;
};

type Encoders = (format: RecordingFormat) => () => Promise<Encoder>;

/** A file that is being written, with its name in the folder once it is complete. */
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

/** The file of another process, with what is recorded from now on. */
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

/** Outcomes of recordings, told to who files them. */
const createOutcomes = ({ folder, clock, logger, node, ...options }: Omit<RecordersOptions, 'format'>) => {
  const lacking = (callId: string, earlier: EarlierRecording | undefined): void => {
    if (earlier === undefined || earlier.node === node) options.onFailed(callId);
    else options.onElsewhere(callId, earlier.node);
  };

  /** The recording as far as it was written, once it is not written any further. */
  const kept = async (callId: string): Promise<CompleteFile | undefined> => {
    try {
      return await folder.salvage(callId);
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'what there is of a recording could not be kept');
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
      logger.error(reason, 'a recording could not be written to its end; what there is of it is kept');
      options.onComplete(file);
      return;
    }
    logger.error(reason, 'a recording failed');
    // A file that cannot be removed is removed at the next start.
    await folder.discard(callId).catch(() => {});
    lacking(callId, earlier);
  };

  /** Of a call that went on here without being recorded any further. */
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
  /** The same, by their calls. */
  const ofCalls = new Map<string, Promise<void>>();
  const settling = new Set<Promise<void>>();
  /** Of calls that another process has recorded until now. */
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
