/**
 * Uploads the raw parts of calls in progress to the store, a piece after each `pieceBytes` of audio. If this gateway is
 * killed, the store lacks at most the audio since the last piece. When this gateway leaves a call to another one, it
 * uploads the rest at once. The rest of a call that ends here is not uploaded, because this gateway makes its recording.
 *
 * The audio waits in the file of the part: an unavailable store takes no memory and delays no call.
 */
import { open } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { pieceKey } from './part-pieces.ts';
import type { RawPart } from './raw-part.ts';
import type { PartFile } from './recorder.ts';
import type { RecordingStore } from './store.ts';

export type PartUploadNumbers = {
  /** Amount of new audio after which a piece is uploaded. */
  pieceBytes: number;
  /** Maximum size of a piece, which is held in memory. A piece is larger after the store was unavailable. */
  mostBytes: number;
  /** Maximum number of uploads at the same time. */
  atOnce: number;
  retryFirstMs: number;
  retryLongestMs: number;
  /** Maximum time for which closing waits for the rest of the parts. */
  closeMs: number;
};

type Part = Pick<RawPart, 'callId' | 'fromMs' | 'node'>;

export type PartUploads = {
  /** Uploads what is written into this file of a part, which has this path until the call ends. */
  follow(part: Part, path: string, file: PartFile): PartFile;
  /** Notes a call of which no piece is uploaded: its only part is written after the call. */
  skip(callId: string): void;
  /** Whether the store may have pieces of a call of which this gateway has so many parts. */
  mayHave(callId: string, parts: number): boolean;
  /** Ends the uploads of a call, whose pieces are then removed. Resolves when none is in progress. */
  forget(callId: string): Promise<void>;
  /** Uploads the rest of the parts that were left to other gateways. */
  close(): Promise<void>;
};

type Upload = {
  part: Part;
  path: string;
  /** Bytes in the file, and in the store. */
  written: number;
  stored: number;
  /** `ended`: all of the part is written, and its rest is due. `done`: nothing more is uploaded. */
  state: 'growing' | 'ended' | 'done';
  running: Promise<void> | null;
};

const readPiece = async (path: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> => {
  await using file = await open(path, 'r');
  const bytes = new Uint8Array(to - from);
  for (let at = 0; at < bytes.length;) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
    if (bytesRead === 0) throw new Error('A part of a recording is shorter than what was written');
    at += bytesRead;
  }
  return bytes;
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const createPartUploads = ({
  store,
  prefix,
  numbers,
  clock,
  logger,
}: {
  store: Pick<RecordingStore, 'putPiece'>;
  prefix: string;
  numbers: PartUploadNumbers;
  clock: Clock;
  logger: Logger;
}): PartUploads => {
  /** Uploads by call, in which each part of this gateway has one. */
  const calls = new Map<string, { uploads: Upload[]; hasPieces: boolean }>();
  const running = new Set<Upload>();
  const due = new Set<Upload>();
  let restTimer: unknown;
  let backoffMs = numbers.retryFirstMs;
  let isClosed = false;
  /** Called after each upload while closing waits. */
  let onProgress = (): void => {};

  const callOf = (callId: string) => {
    const call = calls.get(callId) ?? { uploads: [], hasPieces: false };
    calls.set(callId, call);
    return call;
  };

  const isDue = ({ state, written, stored }: Upload): boolean =>
    state === 'ended' || (state === 'growing' && written - stored >= numbers.pieceBytes);

  const uploadPiece = async (upload: Upload): Promise<void> => {
    const from = upload.stored;
    const to = Math.min(upload.written, from + numbers.mostBytes);
    const isLast = upload.state === 'ended' && to === upload.written;
    callOf(upload.part.callId).hasPieces = true;
    const bytes = await readPiece(upload.path, from, to);
    await store.putPiece(pieceKey(prefix, upload.part, { from, isLast }), bytes);
    upload.stored = to;
    if (isLast) upload.state = 'done';
  };

  const rest = (error: unknown): void => {
    if (restTimer !== undefined || isClosed) return;
    logger.warn(
      { err: error, parts: due.size, again_in_ms: backoffMs },
      'parts of recordings wait for their store, and are only on this machine until then',
    );
    restTimer = clock.setTimeout(() => {
      restTimer = undefined;
      startNext();
    }, backoffMs);
    backoffMs = Math.min(2 * backoffMs, numbers.retryLongestMs);
  };

  const run = async (upload: Upload): Promise<void> => {
    try {
      await uploadPiece(upload);
      backoffMs = numbers.retryFirstMs;
    } catch (error) {
      // The file of a finished part was renamed, or that of an erased one removed.
      if (isMissing(error)) upload.state = 'done';
      else rest(error);
    }
    if (isDue(upload)) due.add(upload);
  };

  const startNext = (): void => {
    for (const upload of due) {
      if (restTimer !== undefined || isClosed || running.size >= numbers.atOnce) return;
      due.delete(upload);
      if (!isDue(upload) || running.has(upload)) continue;
      running.add(upload);
      upload.running = run(upload).finally(() => {
        running.delete(upload);
        upload.running = null;
        onProgress();
        startNext();
      });
    }
  };

  const look = (upload: Upload): void => {
    if (!isDue(upload) || upload.running !== null) return;
    due.add(upload);
    startNext();
  };

  const unfinished = (): number =>
    [...calls.values()].flatMap(({ uploads }) => uploads).filter(({ state }) => state === 'ended').length;

  return {
    follow(part, path, file) {
      const upload: Upload = { part, path, written: 0, stored: 0, state: 'growing', running: null };
      callOf(part.callId).uploads.push(upload);
      const end = (state: 'ended' | 'done'): void => {
        if (upload.state === 'growing') upload.state = state;
        due.delete(upload);
        look(upload);
      };
      return {
        async append(bytes) {
          await file.append(bytes);
          upload.written += bytes.length;
          look(upload);
        },
        async close(hasEnd) {
          await file.close(hasEnd);
          end(hasEnd ? 'done' : 'ended');
        },
        async abandon() {
          await file.abandon();
          end(upload.written > 0 ? 'ended' : 'done');
        },
      };
    },
    skip: (callId) => void callOf(callId),
    mayHave(callId, parts) {
      const call = calls.get(callId);
      return call === undefined ? parts > 0 : call.hasPieces || parts > 1;
    },
    async forget(callId) {
      const call = calls.get(callId);
      if (call === undefined) return;
      for (const upload of call.uploads) {
        upload.state = 'done';
        due.delete(upload);
      }
      await Promise.all(call.uploads.flatMap(({ running: upload }) => upload ?? []));
      calls.delete(callId);
    },
    async close() {
      clock.clearTimeout(restTimer);
      restTimer = undefined;
      backoffMs = numbers.retryFirstMs;
      const finished = new Promise<void>((resolve) => {
        onProgress = () => (unfinished() === 0 ? resolve() : undefined);
        onProgress();
      });
      startNext();
      await doneWithin(clock, numbers.closeMs, finished);
      clock.clearTimeout(restTimer);
      isClosed = true;
      const left = unfinished();
      if (left > 0)
        logger.error(
          { parts: left },
          'the store did not take the last parts of recordings: they stay in the folder of this gateway, and the recordings lack them until it starts again',
        );
      onProgress = () => {};
    },
  };
};
