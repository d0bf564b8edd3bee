/**
 * All recordings of this gateway: written into a folder as they go, and brought into a store from there where one is
 * configured. When the gateway starts, what a crash left is settled: a complete file is a recording, and so is
 * what can be played of one that was being written.
 */
import type { Logger } from 'pino';
import type { OpenRecording } from '#sip/recording.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { RecordedFact } from '#src/persistence/call-facts.ts';
import type { Database } from '#src/persistence/database.ts';
import { pendingRecordings, recordingStatuses } from '#src/persistence/recordings.ts';
import { watchAbandoned, type AbandonedNumbers } from './abandoned.ts';
import { contentTypes, createEncoders, type RecordingFormat } from './encoder.ts';
import { createRecorder, type Recorder, type RecordingOutcome } from './recorder.ts';
import { openRecordingFile, truncatedName } from './recording-file.ts';
import { createRecordingFolder, type CompleteFile } from './recording-folder.ts';
import { createStoreKeeper, type StoreKeeperOptions } from './store-keeper.ts';
import type { StoredRecording } from './stored-recording.ts';

export type Recordings = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /**
   * A completed recording; `undefined` when its file is not where it should be. Refuses with `service_unavailable` while
   * the store is away, as reading what was opened does.
   */
  open(recording: { callId: string; file: string }): Promise<StoredRecording | undefined>;
  /** Of the folder of this gateway alone, whatever is said of it in the database. */
  openOwn(file: string): Promise<StoredRecording | undefined>;
  /** Cuts off what is still being written and waits until that is said. What waits for the store waits for the next start. */
  close(): Promise<void>;
};

export type RecordingFact = Extract<RecordedFact, { type: 'recording.completed' | 'recording.failed' }>;

export const createRecordings = async (options: {
  folder: string;
  format: RecordingFormat;
  /** `null`: recordings stay in the folder. */
  store: StoreKeeperOptions | null;
  /** For recordings of gateways that are gone. */
  abandoned: AbandonedNumbers;
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  publish: (callId: string, fact: RecordingFact) => void;
  clock: Clock;
  logger: Logger;
}): Promise<Recordings> => {
  const { format, database, publish, clock, logger } = options;
  const folder = createRecordingFolder(options.folder);
  const underWay = new Map<Recorder, Promise<void>>();
  const newEncoder = createEncoders(format);

  const fail = (callId: string): void => publish(callId, { type: 'recording.failed', at: clock.now() });

  const complete = (saved: CompleteFile): void => {
    const { callId, file, durationSec, bytes, truncated } = saved;
    logger.info({ call_id: callId, duration_sec: durationSec, bytes }, 'a recording is complete');
    const contentType = contentTypes[saved.format];
    const at = clock.now();
    publish(callId, { type: 'recording.completed', at, contentType, durationSec, bytes, file, truncated });
  };

  const keeper =
    options.store &&
    createStoreKeeper({
      ...options.store,
      folder,
      onComplete: complete,
      onLost({ callId }) {
        logger.error({ call_id: callId }, 'the file of a recording is gone before it was in the store');
        fail(callId);
      },
      statusesOf: (callIds) => recordingStatuses(database, callIds),
      clock,
      logger,
    });

  const keep = (saved: CompleteFile): void => (keeper === null ? complete(saved) : keeper.take(saved, false));

  const end = (callId: string, file: string, outcome: RecordingOutcome): void => {
    if (outcome.status === 'failed') {
      logger.error({ call_id: callId, err: outcome.error }, 'a recording failed');
      fail(callId);
      return;
    }
    const { durationSec, bytes, truncated } = outcome;
    const name = truncated ? truncatedName(file) : file;
    keep({ callId, file: name, format, durationSec, bytes, truncated, savedAt: clock.now() });
  };

  /** What calls left that have ended without this gateway: `pending` is true of none of them any more. */
  const settle = async (): Promise<void> => {
    for (const { callId } of await pendingRecordings(database, options.node)) {
      const saved = (await folder.find(callId)) ?? (await folder.salvage(callId));
      if (saved !== undefined) {
        keep(saved);
        continue;
      }
      logger.warn({ call_id: callId }, 'a recording was lost with the process that wrote it');
      fail(callId);
    }
    await folder.sweep();
  };

  /** What was completed here, before there was a store or while it was away, goes there too. */
  const bringOlder = async (): Promise<void> => {
    if (keeper === null) return;
    const files = await folder.list();
    const statuses = await recordingStatuses(database, [...files.keys()]);
    for (const [callId, file] of files) {
      const saved = statuses.get(callId) === 'completed' ? await folder.read(file) : undefined;
      if (saved !== undefined) keeper.take(saved, true);
    }
  };

  await settle();
  const older = bringOlder().catch((error: unknown) => {
    logger.warn(
      { err: error },
      'older recordings were not brought into the store; the next start tries again',
    );
  });

  const abandoned = watchAbandoned({ database, numbers: options.abandoned, fail, clock, logger });

  const begin: OpenRecording = (callId) => {
    const file = folder.nameFor(callId, clock.now(), format);
    const { promise, resolve } = Promise.withResolvers<void>();
    const recorder = createRecorder(
      () => openRecordingFile(folder.pathOf(file), newEncoder),
      (outcome) => {
        underWay.delete(recorder);
        end(callId, file, outcome);
        resolve();
      },
    );
    underWay.set(recorder, promise);
    return recorder;
  };

  return {
    begin,
    openOwn: folder.open,
    open: async ({ file }) => (await folder.open(file)) ?? (await keeper?.open(file)),
    async close() {
      await abandoned.close();
      for (const recorder of underWay.keys()) recorder.cut();
      await Promise.all(underWay.values());
      await older;
      await keeper?.close();
    },
  };
};
