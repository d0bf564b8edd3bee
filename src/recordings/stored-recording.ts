import type { Readable } from 'node:stream';

/** A complete recording that is about to be read: once, or closed. */
export type StoredRecording = {
  bytes: number;
  /** `start` and `end` are inclusive. */
  read(range?: { start: number; end: number }): Promise<Readable>;
  close(): Promise<void>;
};
