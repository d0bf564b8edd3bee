/**
 * Uploads complete files to the store. A recording is `pending` until its file is in the store. The local file is
 * removed only after the upload and the database's confirmation.
 *
 * An unavailable store loses no recording: the files wait, also across restarts. A file that has waited for `pendingMs`
 * is declared completed, is read from the local folder, and is uploaded when the store is available again.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { contentTypes } from './recording-format.ts';
import { createLocalCopies, type LocalCopiesOptions } from './local-copies.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';
import { StoreFailure, type RecordingStore } from './store.ts';
import { createUploads, type UploadNumbers } from './uploads.ts';

export type StoreKeeperOptions = {
  store: RecordingStore;
  /** Prefix of all file names in the store. */
  prefix: string;
  /** Time for which a recording waits for the store before it is declared completed. */
  numbers: UploadNumbers & { pendingMs: number };
};

export type StoreKeeper = {
  /** Accepts a file, unless it waits already. `isPublished`: the recording was already declared completed. */
  take(file: CompleteFile, isPublished: boolean): void;
  /**
   * Opens a file. Resolves to undefined if the file does not exist. Rejects with `service_unavailable` while the store
   * is unavailable.
   */
  open(file: string): Promise<OpenRecording<Readable> | undefined>;
  /**
   * Removes a file from the store after a running upload of the file. Rejects with a `StoreFailure` while the store is
   * unavailable. The local file must already be removed, so that no other upload begins.
   */
  remove(file: string): Promise<void>;
  close(): Promise<void>;
};

const unavailable = (cause: StoreFailure): Refusal =>
  new Refusal(
    'service_unavailable',
    'The store of recordings is not available right now. Try again in a moment.',
    { headers: { 'Retry-After': '10' }, cause },
  );

const refusing = async <Value>(work: Promise<Value>): Promise<Value> => {
  try {
    return await work;
  } catch (error) {
    throw error instanceof StoreFailure ? unavailable(error) : error;
  }
};

export const createStoreKeeper = ({
  store,
  prefix,
  numbers,
  folder,
  clock,
  logger,
  ...options
}: StoreKeeperOptions & {
  folder: RecordingFolder;
  /** Called when the recording is available. */
  onComplete: (file: CompleteFile) => void;
  /** Called when the file disappeared before it was stored. */
  onLost: (file: CompleteFile) => void;
  statusesOf: LocalCopiesOptions['statusesOf'];
  isErased: (callId: string) => Promise<boolean>;
  clock: Clock;
  logger: Logger;
}): StoreKeeper => {
  const copies = createLocalCopies({ statusesOf: options.statusesOf, remove: folder.remove, clock, logger });

  type PendingUpload = { file: CompleteFile; isPublished: boolean; isGone: boolean };

  const publish = (taken: PendingUpload, fact: (file: CompleteFile) => void): void => {
    if (!taken.isPublished) fact(taken.file);
    taken.isPublished = true;
  };

  /** Files that are not in the store yet. */
  const waiting = new Set<string>();

  /** Running uploads by file. */
  const underWay = new Map<string, Promise<void>>();

  const upload = async (taken: PendingUpload): Promise<void> => {
    const { callId, file, format } = taken.file;
    const key = `${prefix}${file}`;
    taken.isGone = !(await folder.holds(file));
    if (!taken.isGone) await store.put(key, { path: folder.pathOf(file), contentType: contentTypes[format] });
    // The file may be erased meanwhile by a gateway that shares the folder, but that gateway does not touch recordings
    // that are not completed yet.
    if (taken.isPublished && (await options.isErased(callId))) await store.remove(key);
  };

  const uploads = createUploads<PendingUpload>({
    async upload(taken) {
      const { file } = taken.file;
      const uploading = upload(taken);
      underWay.set(file, uploading);
      try {
        await uploading;
      } finally {
        underWay.delete(file);
      }
    },
    onStored(taken) {
      waiting.delete(taken.file.file);
      if (taken.isGone) return publish(taken, options.onLost);
      publish(taken, options.onComplete);
      copies.release(taken.file);
    },
    onDelayed(delayed) {
      for (const taken of delayed)
        if (clock.now() - taken.file.savedAt >= numbers.pendingMs) publish(taken, options.onComplete);
    },
    numbers,
    clock,
    logger,
  });

  return {
    take(file, isPublished) {
      if (waiting.has(file.file)) return;
      waiting.add(file.file);
      uploads.add({ file, isPublished, isGone: false });
    },
    async open(file) {
      const key = `${prefix}${file}`;
      const bytes = await refusing(store.size(key));
      if (bytes === undefined) return undefined;
      return {
        bytes,
        read: (range) => refusing(store.read(key, range)),
        close: () => Promise.resolve(),
      };
    },
    async remove(file) {
      // The upload may fail; its retry then finds no file.
      await Promise.allSettled([underWay.get(file)]);
      await store.remove(`${prefix}${file}`);
    },
    async close() {
      const closing = uploads.close();
      await store.close();
      await closing;
      await copies.close();
    },
  };
};
