/**
 * One recording on its way into a file: encoded as it comes, never held whole. The file is called `.part` until it is
 * complete and on disk, so a complete name always means a complete file. One that lacks some of its call says so in its name.
 */
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { recordingSampleRate } from '#sip/recording-sink.ts';
import { mp3Bitrate, type Stretch, type Encoder, type RecordingFormat } from './encoder.ts';
import { createFollowingPages } from './ogg-pages.ts';
import type { Playable } from './salvage.ts';
import { silentBeginning } from './silent-beginning.ts';

export const partExtension = '.part';

/** The name of a recording that lacks some of its call. */
export const truncatedName = (name: string): string => name.replace(/\.(ogg|mp3)$/, '.truncated.$1');

export type CompleteSound = {
  durationSec: number;
  bytes: number;
  /** Some of the call is missing, and the name of the file says so. */
  truncated: boolean;
};

export type RecordingFile = {
  /** Encodes it and waits for the disk, while further sound waits in line. Rejects when the disk fails. */
  append(stretches: readonly Stretch[]): Promise<void>;
  /** Makes the file complete. `isCut`: there was more to record. */
  complete(isCut: boolean): Promise<CompleteSound>;
  /** Closes it as it is, for another process to go on with. */
  leave(): Promise<void>;
  /** Closes it where it stands: no more can be written. */
  abandon(): Promise<void>;
};

/** The part of the same recording that another process has written. */
export type EarlierPart = Playable & {
  /** In seconds of the call, where what is written now begins; between both there is silence. */
  goesOnAtSec: number;
};

/** A new name in a folder is safe from a power failure only when the folder itself is written. */
export const syncFolder = async (path: string): Promise<void> => {
  await using folder = await open(path, 'r');
  await folder.sync();
};

const samplesOf = (seconds: number): number => Math.round(seconds * recordingSampleRate);

/** The length of the call that an earlier part holds. */
const samplesIn = ({ bytes, place }: Playable): number =>
  place === null ? samplesOf((bytes * 8) / (mp3Bitrate * 1_000)) : Number(place.granule);

/** While a process is gone; one that is gone for longer is gone with its call. */
const longestHoleSec = 120;

/** Second by second: so much is encoded before others get their turn. */
function* silence(samples: number): Generator<Stretch> {
  for (let left = Math.min(samples, samplesOf(longestHoleSec)); left > 0; left -= recordingSampleRate) {
    const quiet = new Int16Array(Math.min(left, recordingSampleRate));
    yield { counterparty: quiet, agent: quiet };
  }
}

/** Nothing where so little is missing that it is as well encoded. */
const writeSilence = async (
  file: FileHandle,
  { format, silentUntilSec }: LackingBeginning,
  newEncoder: () => Promise<Encoder>,
): Promise<EarlierPart> => {
  const beginning = await silentBeginning(format, newEncoder, samplesOf(silentUntilSec));
  for (const piece of beginning?.pieces ?? []) await file.appendFile(piece);
  const playable = beginning?.playable ?? { bytes: 0, place: null };
  return { ...playable, goesOnAtSec: silentUntilSec };
};

const asItIs = (encoded: Uint8Array): Uint8Array => encoded;

/** A recording whose beginning is somewhere else, or lost: until there it is silent, in seconds of the call. */
export type LackingBeginning = { format: RecordingFormat; silentUntilSec: number };

/**
 * Rejects when the file cannot be made. With an earlier part, `path` is the name of that, and it is gone on with.
 */
export const openRecordingFile = async (
  path: string,
  newEncoder: () => Promise<Encoder>,
  {
    earlier: written = null,
    lacking = null,
  }: { earlier?: EarlierPart | null; lacking?: LackingBeginning | null } = {},
): Promise<RecordingFile> => {
  const part = `${path}${partExtension}`;
  const encoder = await newEncoder();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(part, written === null ? 'w' : 'a', 0o600);
  const earlier = written ?? (lacking && (await writeSilence(file, lacking, newEncoder)));
  let samples = earlier === null ? 0 : samplesIn(earlier);
  let bytes = earlier?.bytes ?? 0;
  // Frames of MP3 stand for themselves.
  const following = earlier?.place ? createFollowingPages(earlier.place) : asItIs;

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
