/**
 * One recording on its way into a file: encoded as it comes, never held whole. The file is called `.part` until it is
 * complete and on disk, so a complete name always means a complete file. One whose end is missing says so in its name.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordingSampleRate } from '#sip/recording.ts';
import type { Stretch, Encoder } from './encoder.ts';

export const partExtension = '.part';

/** The name of a recording whose end is missing. */
export const truncatedName = (name: string): string => name.replace(/\.(ogg|mp3)$/, '.truncated.$1');

export type RecordingFile = {
  /** Encodes it and waits for the disk, while further sound waits in line. Rejects when the disk fails. */
  append(stretches: readonly Stretch[]): Promise<void>;
  /** Makes the file complete. `isTruncated`: there was more to record. */
  complete(isTruncated: boolean): Promise<{ durationSec: number; bytes: number }>;
  /** Removes what was written. */
  discard(): Promise<void>;
};

/** A new name in a folder is safe from a power failure only when the folder itself is written. */
export const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};

/** Rejects when the file cannot be made. */
export const openRecordingFile = async (
  path: string,
  newEncoder: () => Promise<Encoder>,
): Promise<RecordingFile> => {
  const part = `${path}${partExtension}`;
  const encoder = await newEncoder();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, 'w', 0o600);
  let samples = 0;
  let bytes = 0;

  const write = async (encoded: Uint8Array): Promise<void> => {
    if (encoded.length === 0) return;
    bytes += encoded.length;
    await file.appendFile(encoded);
  };

  return {
    async append(stretches) {
      for (const stretch of stretches) {
        samples += stretch.counterparty.length;
        await write(encoder.encode(stretch));
      }
    },
    async complete(isTruncated) {
      await write(encoder.finish());
      await file.sync();
      await file.close();
      await rename(part, isTruncated ? truncatedName(path) : path);
      await syncFolder(dirname(path));
      return { durationSec: samples / recordingSampleRate, bytes };
    },
    async discard() {
      await rm(part, { force: true });
      await file.close();
    },
  };
};
