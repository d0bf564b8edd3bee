/**
 * One recording on its way into a file: encoded as it comes, never held whole. The file is called `.part` until it is
 * complete and on disk, so a complete name always means a complete file.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordingSampleRate } from '#sip/recording.ts';
import type { Stretch, VorbisEncoder } from './vorbis-encoder.ts';

export const partExtension = '.part';

export type RecordingFile = {
  /** Encodes and writes. */
  append(stretches: readonly Stretch[]): Promise<void>;
  /** Makes the file complete. */
  complete(): Promise<{ durationSec: number; bytes: number }>;
  /** Removes what was written. */
  discard(): Promise<void>;
};

/** A new name in a folder is safe from a power failure only when the folder itself is written. */
const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};

/** Rejects when the file cannot be made. */
export const openRecordingFile = async (
  path: string,
  newEncoder: () => Promise<VorbisEncoder>,
): Promise<RecordingFile> => {
  const part = `${path}${partExtension}`;
  const encoder = await newEncoder();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, 'w', 0o600);
  let samples = 0;
  let bytes = 0;

  const write = async (encoded: readonly Uint8Array[]): Promise<void> => {
    const whole = Buffer.concat(encoded);
    if (whole.length > 0) await file.appendFile(whole);
    bytes += whole.length;
  };

  return {
    async append(stretches) {
      for (const { counterparty } of stretches) samples += counterparty.length;
      await write(stretches.map(encoder.encode));
    },
    async complete() {
      await write([encoder.finish()]);
      await file.sync();
      await file.close();
      await rename(part, path);
      await syncFolder(dirname(path));
      return { durationSec: samples / recordingSampleRate, bytes };
    },
    async discard() {
      await rm(part, { force: true });
      await file.close();
    },
  };
};
