/**
 * Brings complete files into the store. A recording is `pending` until its file is there; only then, and when the
 * database says so too, the file here is removed.
 *
 * A store that is away costs no recording: the files wait, also over a restart. One that has waited for `pendingMs` is
 * declared completed as it lies here, is read from here, and goes to the store when that is back.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { contentTypes } from './encoder.ts';
import { createLocalCopies, type LocalCopiesOptions } from './local-copies.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';
import { StoreFailure, type RecordingStore } from './store.ts';
import { createUploads, type UploadNumbers } from './uploads.ts';

export type StoreKeeperOptions = {
  store: RecordingStore;
  /** Stands before the names of all files there. */
  prefix: string;
  /** A recording waits so long for the store, then it is declared completed. */
  numbers: UploadNumbers & { pendingMs: number };
};

export type StoreKeeper = {
  /** `isPublished`: the recording was declared completed before. */
  take(file: CompleteFile, isPublished: boolean): void;
  /** Undefined when there is no such file; refuses with `service_unavailable` while the store is away. */
  open(file: string): Promise<OpenRecording<Readable> | undefined>;
  /**
   * From the store, behind an upload of it that is under way; rejects with a `StoreFailure` while the store is away. The
   * file here must be gone, so that no other upload begins.
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
  /** The recording can be had from now on. */
  onComplete: (file: CompleteFile) => void;
  /** The file is gone before it was in the store. */
  onLost: (file: CompleteFile) => void;
  statusesOf: LocalCopiesOptions['statusesOf'];
  isErased: (callId: string) => Promise<boolean>;
  clock: Clock;
  logger: Logger;
}): StoreKeeper => {
  const copies = createLocalCopies({ statusesOf: options.statusesOf, remove: folder.remove, clock, logger });

  type Taken = { file: CompleteFile; isPublished: boolean; isGone: boolean };

  const publish = (taken: Taken, fact: (file: CompleteFile) => void): void => {
    if (!taken.isPublished) fact(taken.file);
    taken.isPublished = true;
  };

  /** By their files. */
  const underWay = new Map<string, Promise<void>>();

  const upload = async (taken: Taken): Promise<void> => {
    const { callId, file, format } = taken.file;
    const key = `${prefix}${file}`;
    taken.isGone = !(await folder.holds(file));
    if (!taken.isGone) await store.put(key, { path: folder.pathOf(file), contentType: contentTypes[format] });
    // A gateway that shares the folder may have erased it meanwhile; what is not completed yet it leaves alone.
    if (taken.isPublished && (await options.isErased(callId))) await store.remove(key);
  };

  const uploads = createUploads<Taken>({
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
      if (taken.isGone) return publish(taken, options.onLost);
      publish(taken, options.onComplete);
      copies.release(taken.file);
    },
    onDelayed(waiting) {
      for (const taken of waiting)
        if (clock.now() - taken.file.savedAt >= numbers.pendingMs) publish(taken, options.onComplete);
    },
    numbers,
    clock,
    logger,
  });

  return {
    take: (file, isPublished) => uploads.add({ file, isPublished, isGone: false }),
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
      // One that fails is tried again, and finds no file.
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
