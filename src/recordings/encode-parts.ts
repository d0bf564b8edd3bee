/**
 * Makes a recording of the raw parts of a call: each part at its place, with silence between them, encoded once. The
 * file has the extension `.part` until all of it is on the disk, so a final name always means a complete file.
 */
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import type { Encoder, Stretch } from './encoder.ts';
import { bytesPerSecond, momentBytes, readMoments, type RawPart } from './raw-part.ts';
import type { RecordingFormat } from './recording-format.ts';
import { syncFolder } from './sync-folder.ts';

export const unfinishedExtension = '.part';

/** A raw part in a file. */
export type PlacedPart = Pick<RawPart, 'fromMs'> & { path: string };

export type EncodingJob = {
  /** In order of their places. A part ends where the next one begins. */
  parts: readonly PlacedPart[];
  format: RecordingFormat;
  /** Path of the complete file, which replaces an earlier one. */
  path: string;
};

export type Encoded = { durationSec: number; bytes: number };

const samplesOf = (milliseconds: number): number => Math.round((milliseconds * recordingSampleRate) / 1_000);

/** Yields this much silence, a second at a time. */
function* silence(samples: number): Generator<Stretch> {
  for (let left = samples; left > 0; left -= recordingSampleRate) {
    const quiet = new Int16Array(Math.min(left, recordingSampleRate));
    yield { counterparty: quiet, agent: quiet };
  }
}

/** Yields at most this many samples of a part, a second at a time. */
async function* audioOf({ path }: PlacedPart, samples: number): AsyncGenerator<Stretch> {
  await using file = await open(path, 'r');
  const second = new Uint8Array(bytesPerSecond);
  for (let left = samples * momentBytes; left > 0;) {
    const { bytesRead } = await file.read(second, 0, Math.min(left, second.length));
    // A full disk may have cut the last moment in two.
    const whole = bytesRead - (bytesRead % momentBytes);
    if (whole === 0) return;
    yield readMoments(second.subarray(0, whole));
    left -= whole;
  }
}

async function* wholeAudio(parts: readonly PlacedPart[]): AsyncGenerator<Stretch> {
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const begin = samplesOf(part.fromMs);
    const next = parts[index + 1];
    if (begin > position) yield* silence(begin - position);
    position = Math.max(position, begin);
    const end = next === undefined ? Infinity : samplesOf(next.fromMs);
    for await (const stretch of audioOf(part, end - position)) {
      position += stretch.agent.length;
      yield stretch;
    }
  }
}

const writeEncoded = async (file: FileHandle, { parts }: EncodingJob, encoder: Encoder): Promise<Encoded> => {
  let samples = 0;
  let bytes = 0;
  const write = async (encoded: Uint8Array): Promise<void> => {
    bytes += encoded.length;
    if (encoded.length > 0) await file.appendFile(encoded);
  };
  for await (const stretch of wholeAudio(parts)) {
    samples += stretch.agent.length;
    await write(encoder.encode(stretch));
  }
  await write(encoder.finish());
  await file.sync();
  return { durationSec: samples / recordingSampleRate, bytes };
};

/** Writes the complete file. Rejects if a part cannot be read or the file cannot be written; then no file is left. */
export const encodeParts = async (job: EncodingJob, newEncoder: () => Promise<Encoder>): Promise<Encoded> => {
  const { path } = job;
  const unfinished = `${path}${unfinishedExtension}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const encoder = await newEncoder();
    const file = await open(unfinished, 'w', 0o600);
    let encoded: Encoded;
    try {
      encoded = await writeEncoded(file, job, encoder);
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return encoded;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
};
