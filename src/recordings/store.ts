import type { Readable } from 'node:stream';
import type { ByteRange } from '#src/domain/open-recording.ts';

/** A place for complete recordings beyond this machine. Every method may reject with a `StoreFailure`. */
export type RecordingStore = {
  /** Resolves when the whole file is there; what was there under this key is replaced. */
  put(key: string, file: { path: string; contentType: string }): Promise<void>;
  /** How many bytes are there; undefined when nothing is. */
  size(key: string): Promise<number | undefined>;
  /** `start` and `end` are inclusive. Resolves when the store has begun to answer. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Resolves when nothing is there any more, also where nothing was. */
  remove(key: string): Promise<void>;
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>;
};

/** The store is away, or answers what it should not. The message holds none of its words and no secret. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}
