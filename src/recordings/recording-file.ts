/**
 * Writes one recording to a file: encoded as audio arrives, never held in memory as a whole. The file has the extension
 * `.part` until it is complete and on disk, so a final name always means a complete file. The name of a truncated
 * recording says so.
 */
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { mp3Bitrate, type Stretch, type Encoder, type RecordingFormat } from './encoder.ts';
import { createFollowingPages } from './ogg-pages.ts';
import type { Playable } from './salvage.ts';
import { leadingSilence } from './leading-silence.ts';

export const partExtension = '.part';

/** File name of a recording that lacks a part of its call. */
export const truncatedName = (name: string): string => name.replace(/\.(ogg|mp3)$/, '.truncated.$1');

export type CompleteAudio = {
  durationSec: number;
  bytes: number;
  /** Whether a part of the call is missing; the file name also shows it. */
  truncated: boolean;
};

export type RecordingFile = {
  /** Encodes audio and waits for the disk, while further audio is queued. Rejects on a disk error. */
  append(stretches: readonly Stretch[]): Promise<void>;
  /** Completes the file. `isCut`: the last part of the call is missing. */
  complete(isCut: boolean): Promise<CompleteAudio>;
  /** Closes the unfinished file, so that another process can continue it. */
  leave(): Promise<void>;
  /** Closes the file after an error; it cannot be written further. */
  abandon(): Promise<void>;
};

/** Part of the same recording that another process wrote. */
export type EarlierPart = Playable & {
  /** Position in seconds of the call at which the new part begins; the gap is filled with silence. */
  goesOnAtSec: number;
};

/** Syncs the folder: without that, a new file name may not survive a power failure. */
export const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};

const samplesOf = (seconds: number): number => Math.round(seconds * recordingSampleRate);

/** Duration of an earlier part in samples. */
const samplesIn = ({ bytes, position }: Playable): number =>
  position === null ? samplesOf((bytes * 8) / (mp3Bitrate * 1_000)) : Number(position.granule);

/** Maximum gap in seconds; a process that was gone for longer has lost its call. */
const longestHoleSec = 120;

/** Yields one second of silence at a time, which limits the encoding work per step. */
function* silence(samples: number): Generator<Stretch> {
  for (let left = Math.min(samples, samplesOf(longestHoleSec)); left > 0; left -= recordingSampleRate) {
    const quiet = new Int16Array(Math.min(left, recordingSampleRate));
    yield { counterparty: quiet, agent: quiet };
  }
}

/** Encodes the silence of a short gap instead of writing prepared silence. */
const writeSilence = async (
  file: FileHandle,
  { format, silentUntilSec }: MissingBeginning,
  newEncoder: () => Promise<Encoder>,
): Promise<EarlierPart> => {
  const beginning = await leadingSilence(format, newEncoder, samplesOf(silentUntilSec));
  for (const piece of beginning?.pieces ?? []) await file.appendFile(piece);
  const playable = beginning?.playable ?? { bytes: 0, position: null };
  return { ...playable, goesOnAtSec: silentUntilSec };
};

const asItIs = (encoded: Uint8Array): Uint8Array => encoded;

/** Part of a recording whose beginning is missing here: silence up to this position, in seconds of the call. */
export type MissingBeginning = { format: RecordingFormat; silentUntilSec: number };

/**
 * Creates the file; rejects if that fails. With an earlier part, `path` is that part's final name, and the part is
 * continued.
 */
export const openRecordingFile = async (
  path: string,
  newEncoder: () => Promise<Encoder>,
  {
    earlier: written = null,
    lacking = null,
  }: { earlier?: EarlierPart | null; lacking?: MissingBeginning | null } = {},
): Promise<RecordingFile> => {
  const part = `${path}${partExtension}`;
  const encoder = await newEncoder();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, written === null ? 'w' : 'a', 0o600);
  const earlier = written ?? (lacking && (await writeSilence(file, lacking, newEncoder)));
  let samples = earlier === null ? 0 : samplesIn(earlier);
  let bytes = earlier?.bytes ?? 0;
  // MP3 frames are independent of each other, so they can be appended.
  const following = earlier?.position ? createFollowingPages(earlier.position) : asItIs;

  const write = async (encoded: Uint8Array): Promise<void> => {
    if (encoded.length === 0) return;
    const followed = following(encoded);
    bytes += followed.length;
    await file.appendFile(followed);
  };

  const append = async (stretches: Iterable<Stretch>): Promise<void> => {
    for (const stretch of stretches) {
      samples += stretch.counterparty.length;
      await write(encoder.encode(stretch));
    }
  };

  if (earlier !== null) await append(silence(samplesOf(earlier.goesOnAtSec) - samples));

  return {
    append,
    async complete(isCut) {
      const truncated = isCut || lacking !== null;
      await write(encoder.finish());
      await file.sync();
      await file.close();
      await rename(part, truncated ? truncatedName(path) : path);
      await syncFolder(dirname(path));
      return { durationSec: samples / recordingSampleRate, bytes, truncated };
    },
    async leave() {
      await file.sync();
      await file.close();
    },
    abandon: () => file.close(),
  };
};
