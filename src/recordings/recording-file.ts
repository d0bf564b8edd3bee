/**
 * One recording on its way into a file: encoded as it comes, never held whole. The file is called `.part` until it is
 * complete and on disk, so a complete name always means a complete file.
 */
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createOggEncoder } from 'wasm-media-encoders';
import { recordingSampleRate } from '#sip/recording.ts';

type OggEncoder = Awaited<ReturnType<typeof createOggEncoder>>;

export const recordingContentType = 'audio/ogg';
export const recordingExtension = '.ogg';
export const partExtension = '.part';

/** Vorbis quality, -1 to 10; speech of a telephone does not gain from more. */
const quality = 2;

export type RecordingFile = {
  /** Encodes and writes; both channels have the same length. */
  append(counterparty: Int16Array, agent: Int16Array): Promise<void>;
  /** Makes the file complete. */
  complete(): Promise<{ durationSec: number; bytes: number }>;
  /** Removes what was written. */
  discard(): Promise<void>;
};

const toFloats = (samples: Int16Array): Float32Array =>
  Float32Array.from(samples, (sample) => sample / 32_768);

/** Rejects when the file cannot be made. */
export const openRecordingFile = async (path: string): Promise<RecordingFile> => {
  const part = `${path}${partExtension}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file: FileHandle = await open(part, 'w', 0o600);
  const encoder: OggEncoder = await createOggEncoder();
  encoder.configure({ channels: 2, sampleRate: recordingSampleRate, vbrQuality: quality });
  let samples = 0;
  let bytes = 0;

  const write = async (encoded: Uint8Array): Promise<void> => {
    // The encoder's memory is used again by its next call.
    const own = Buffer.from(encoded);
    await file.appendFile(own);
    bytes += own.length;
  };

  return {
    async append(counterparty, agent) {
      samples += counterparty.length;
      await write(encoder.encode([toFloats(counterparty), toFloats(agent)]));
    },
    async complete() {
      await write(encoder.finalize());
      await file.sync();
      await file.close();
      await rename(part, path);
      return { durationSec: samples / recordingSampleRate, bytes };
    },
    async discard() {
      await file.close();
      await rm(part, { force: true });
    },
  };
};
