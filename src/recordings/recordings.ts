/**
 * All recordings of this gateway, which are written as raw parts during the call (`recorders.ts`), encoded as one file
 * after the call (`assembly.ts`), and uploaded to a store if one is configured (`store-keeper.ts`). The raw parts are
 * uploaded during the call as well (`part-uploads.ts`). At start, recordings that a crash left are settled
 * (`left-behind.ts`).
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { RecordedFact } from '#src/persistence/calls/call-facts.ts';
import { abandonedRecordings, erasedAmong, recordingStatuses } from '#src/persistence/calls/recordings.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { type AssemblyNumbers, type OtherParts, createAssembly } from './assembly.ts';
import { type RecordingFormat, contentTypes } from './recording-format.ts';
import { createEncoding } from './encoding.ts';
import { type ErasedNumbers, watchErasedFiles } from './erased-files.ts';
import { completedBefore, removeUnfinished, settleLeftBehind } from './left-behind.ts';
import { type Recorders, createRecorders } from './recorders.ts';
import { createPartPieces } from './part-pieces.ts';
import { createPartUploads, type PartUploadNumbers } from './part-uploads.ts';
import { partName } from './raw-part.ts';
import { type CompleteFile, createRecordingFolder } from './recording-folder.ts';
import { type StoreKeeper, type StoreKeeperOptions, createStoreKeeper } from './store-keeper.ts';

/**
 * Recordings of gateways that disappeared for good. Any gateway of the database makes them of their parts in the store
 * after a time limit, or marks them as failed without any; if several do, the first one wins.
 */
export type AbandonedNumbers = {
  /** Interval of the checks. */
  everyMs: number;
  /** Time after the end of a call for which its recording may be pending while the call's gateway does not run. */
  afterMs: number;
};

type AbandonedWatch = {
  close(): Promise<void>;
};

/** Checks immediately and then periodically. */
const watchAbandoned = (options: {
  database: Database;
  numbers: AbandonedNumbers;
  settle: (callId: string) => Promise<void>;
  clock: Clock;
  logger: Logger;
}): AbandonedWatch => {
  const { database, numbers, clock, logger } = options;

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      for (const { callId, node } of await abandonedRecordings(database, numbers.afterMs)) {
        if (stopped.aborted) return;
        logger.warn(
          { call_id: callId, dead_node: node },
          'the gateway of a recording is gone: the recording is made of its parts in the store, or fails',
        );
        await options.settle(callId);
      }
    } catch (error) {
      logger.warn({ err: error }, 'searching for recordings of gone gateways failed');
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  looking.start(0);
  return { close: looking.stop };
};

export type Recordings = Pick<Recorders, 'begin' | 'expect' | 'release' | 'leave'> & {
  /**
   * Opens a completed recording. Resolves to `undefined` if the file is missing. Rejects with `service_unavailable`
   * while the store is unavailable, also while reading.
   */
  open(recording: { callId: string; file: string }): Promise<OpenRecording<Readable> | undefined>;
  /** Files in this gateway's folder, regardless of their status in the database. */
  own: {
    open(file: string): Promise<OpenRecording<Readable> | undefined>;
    /** Names of the raw parts of a call. */
    parts(callId: string): Promise<string[]>;
    openPart(name: string): Promise<OpenRecording<Readable> | undefined>;
  };
  /**
   * Removes the files of recordings that were erased while other gateways considered this one dead. Called when this
   * gateway is registered again.
   */
  checkErased(): void;
  /**
   * Cuts off active recordings and waits until their outcomes are reported, but for a limited time. Unfinished
   * recordings and pending uploads wait for the next start.
   */
  close(): Promise<void>;
};

export type RecordingFact = Extract<RecordedFact, { type: 'recording.completed' | 'recording.failed' }>;

type Appending = {
  append: (callId: string, fact: RecordingFact) => void;
  clock: Clock;
  logger: Logger;
};

/** Reports recordings to the rest of the gateway. */
const createAnnouncements = ({ append, clock, logger }: Appending) => {
  const failed = (callId: string): void => append(callId, { type: 'recording.failed', at: clock.now() });
  return {
    failed,
    lost({ callId }: CompleteFile): void {
      logger.error({ call_id: callId }, 'the file of a recording disappeared before its upload');
      failed(callId);
    },
    completed({ callId, format, savedAt: _savedAt, ...file }: CompleteFile): void {
      const { durationSec, bytes } = file;
      logger.info({ call_id: callId, duration_sec: durationSec, bytes }, 'a recording is complete');
      const contentType = contentTypes[format];
      const at = clock.now();
      append(callId, { type: 'recording.completed', at, contentType, ...file });
    },
  };
};

export const createRecordings = async (
  options: Appending & {
    folder: string;
    format: RecordingFormat;
    /**
     * Store of completed recordings; `null` if recordings stay in the folder. `parts`: uploads of raw parts during the
     * calls; `null` if they stay in the folder.
     */
    store: (StoreKeeperOptions & { parts: PartUploadNumbers | null }) | null;
    /** Timing for recordings of gateways that disappeared. */
    abandoned: AbandonedNumbers;
    /** Encoding of recordings after their calls. `closeMs`: maximum time for which closing waits for unfinished work. */
    encoding: { threads: number; idleMs: number; closeMs: number };
    openEncoding?: typeof createEncoding;
    /** Timing for raw parts. */
    assembly: AssemblyNumbers;
    /** Raw parts of the other gateways; `null` if no other gateway exists. */
    otherParts: OtherParts | null;
    /** Timing for files of erased recordings. */
    erased: ErasedNumbers;
    database: Database;
    /** Name of this gateway among those of the database. */
    node: string;
  },
): Promise<Recordings> => {
  const { format, openEncoding = createEncoding, database, node, clock, logger } = options;
  const folder = createRecordingFolder(options.folder);
  const announce = createAnnouncements(options);
  const keeper =
    options.store &&
    createStoreKeeper({
      ...options.store,
      folder,
      onComplete: announce.completed,
      onLost: announce.lost,
      statusesOf: (callIds) => recordingStatuses(database, callIds),
      isErased: async (callId) => (await erasedAmong(database, [callId])).has(callId),
      clock,
      logger,
    });
  const { store } = options;
  const partUploads =
    store === null || store.parts === null
      ? null
      : createPartUploads({ ...store, numbers: store.parts, clock, logger });
  const outcomes = {
    onComplete: (file: CompleteFile): void =>
      keeper === null ? announce.completed(file) : keeper.take(file, false),
    onFailed: announce.failed,
  };

  /**
   * Uploads also the files that were completed here before a store was configured or while the store was unavailable.
   */
  const bringOlder = async ({ take }: StoreKeeper): Promise<void> => {
    try {
      for await (const file of completedBefore(folder, database)) take(file, true);
    } catch (error) {
      logger.warn({ err: error }, 'uploading older recordings failed; the next start retries');
    }
  };

  await removeUnfinished({ folder, database, node });
  const encoding = openEncoding({ ...options.encoding, clock });
  const assembly = createAssembly({
    folder,
    format,
    encoding,
    others: options.otherParts,
    hasStore: store !== null,
    stored:
      store === null || partUploads === null
        ? null
        : { ...createPartPieces(store.store, store.prefix), ...partUploads },
    database,
    node,
    isRecording: (callId) => recorders.isRecording(callId),
    numbers: options.assembly,
    ...outcomes,
    removeStored: async (file) => keeper?.remove(file),
    clock,
    logger,
  });
  const recorders = createRecorders({
    async createPart(part, isWhole) {
      const file = await folder.parts.create(part);
      if (partUploads === null) return file;
      if (isWhole) partUploads.skip(part.callId);
      const path = folder.parts.pathOf(partName({ ...part, hasEnd: false, isCut: false }));
      return isWhole ? file : partUploads.follow(part, path, file);
    },
    make: assembly.make,
    node,
    logger,
  });
  await settleLeftBehind({ folder, database, node, assembly, ...outcomes });
  assembly.start();
  const older = keeper && bringOlder(keeper);
  const abandoned = watchAbandoned({
    ...options,
    numbers: options.abandoned,
    settle: assembly.makeAbandoned,
  });
  const erased = watchErasedFiles({ ...options, folder, keeper, numbers: options.erased });

  return {
    begin: recorders.begin,
    expect: recorders.expect,
    release: recorders.release,
    leave: recorders.leave,
    own: {
      open: folder.open,
      parts: async (callId) =>
        (await folder.parts.of(callId)).filter(({ isCut }) => !isCut).map(({ name }) => name),
      openPart: folder.parts.open,
    },
    open: async ({ file }) => (await folder.open(file)) ?? (await keeper?.open(file)),
    checkErased: erased.checkAll,
    async close() {
      await Promise.all([abandoned.close(), erased.close()]);
      await encoding.close(Promise.all([recorders.close(), assembly.close()]), options.encoding.closeMs);
      await partUploads?.close();
      await older;
      await keeper?.close();
    },
  };
};
