import type { Readable } from 'node:stream';
import type { ByteRange } from '#src/domain/open-recording.ts';

/** Storage for recordings and their parts outside this machine. Every method may reject with a `StoreFailure`. */
export type RecordingStore = {
  /** Stores a file. Resolves when the whole file is stored. An earlier object with this key is replaced. */
  put(key: string, file: { path: string; contentType: string }): Promise<void>;
  /** Stores a small object. An earlier object with this key is replaced. */
  putPiece(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Resolves to all objects whose keys begin with this prefix, in the order of their keys. */
  list(prefix: string): Promise<{ key: string; bytes: number }[]>;
  /** Resolves to the size in bytes; undefined if there is no object. */
  size(key: string): Promise<number | undefined>;
  /** Reads an object. `start` and `end` are inclusive. Resolves when the store begins to answer. */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Resolves when the object is deleted or did not exist. */
  remove(key: string): Promise<void>;
  /** Closes all connections; running requests fail. */
  close(): Promise<void>;
};

/**
 * Thrown when the store is unavailable or answers incorrectly. The message contains neither the store's texts nor
 * secrets.
 */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
}
