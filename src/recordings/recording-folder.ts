/**
 * Folder in which recordings are written. Without a store, they also remain there: `<year>-<month>/<call id>.<format>`.
 * The subfolder `parts` has the raw parts of calls in progress, and of ended calls that are not encoded yet.
 */
import { createWriteStream } from 'node:fs';
import { glob, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { unfinishedExtension } from './encode-parts.ts';
import { mp3Bitrate, type RecordingFormat } from './recording-format.ts';
import { openPartFile, type PartFile } from './recorder.ts';
import { partIn, partName, type RawPart } from './raw-part.ts';

/** A complete file. */
export type CompleteFile = {
  callId: string;
  /** Path relative to the folder. */
  file: string;
  format: RecordingFormat;
  durationSec: number;
  bytes: number;
  /** Whether a part of the call is missing, because the gateway that recorded it ended early or is unavailable. */
  truncated: boolean;
  /** Whether the file replaces an earlier one, which lacks a part that this one has. */
  replaces: boolean;
  /** Wall-clock milliseconds since the epoch. */
  savedAt: number;
};

export type RecordingFolder = {
  /** Returns the path of a new file, relative to the folder. */
  nameFor(callId: string, at: number, format: RecordingFormat): string;
  pathOf(file: string): string;
  /**
   * Finds the complete file of a call. The duration is read from the file, for MP3 with a precision of a tenth of a
   * second.
   */
  find(callId: string): Promise<CompleteFile | undefined>;
  /** Resolves to the complete files by call. */
  list(): Promise<ReadonlyMap<string, string>>;
  /** Resolves to the complete file with a name that `list` returned; undefined if the file was removed. */
  read(file: string): Promise<CompleteFile | undefined>;
  holds(file: string): Promise<boolean>;
  /** Opens the file. Resolves to undefined if the file does not exist. */
  open(file: string): Promise<OpenRecording<Readable> | undefined>;
  remove(file: string): Promise<void>;
  /** Resolves to the paths of half-encoded files by call, relative to the folder. */
  unfinished(): Promise<ReadonlyMap<string, string>>;
  parts: PartsFolder;
};

/** A raw part in the folder. */
export type PartInFolder = RawPart & { name: string };

/** A raw part that this gateway begins to write. */
export type NewPart = Omit<RawPart, 'hasEnd' | 'isCut'>;

/** The raw parts, including those of other gateways that share the folder. */
export type PartsFolder = {
  /** Creates a part. Closing it with the end of the call renames the file accordingly. */
  create(part: NewPart): Promise<PartFile>;
  pathOf(name: string): string;
  /** Resolves to the parts of a call, in the order of their places; omits a cut part of which there is the whole. */
  of(callId: string): Promise<PartInFolder[]>;
  /** Resolves to the calls with parts. */
  calls(): Promise<ReadonlySet<string>>;
  /** Resolves to the time of the last change of a call's parts, in wall-clock milliseconds since the epoch. */
  savedAt(callId: string): Promise<number>;
  /** Opens a part by its name. Resolves to undefined if the part does not exist. */
  open(name: string): Promise<OpenRecording<Readable> | undefined>;
  /** Stores the part of another gateway. The file has the name of the part when all of it is stored. */
  store(name: string, audio: Readable): Promise<void>;
  /** Removes all parts of a call. */
  remove(callId: string): Promise<void>;
};

export const formatOf = (file: string): RecordingFormat => (file.endsWith('.mp3') ? 'mp3' : 'ogg');

/** Treats a missing file as a valid result; throws other disk errors. */
const absence = (error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
};

/**
 * Resolves to the files in the subfolders, relative to the folder. Not by `glob`, which loads a library of patterns:
 * resumed calls wait for this.
 */
const filesIn = async (folder: string): Promise<string[]> => {
  const subfolders = (await readdir(folder).catch(absence)) ?? [];
  const names = await Promise.all(
    subfolders.map(async (subfolder) => (await readdir(join(folder, subfolder)).catch(absence)) ?? []),
  );
  return subfolders.flatMap((subfolder, index) => (names[index] ?? []).map((name) => join(subfolder, name)));
};

/** Extension of a part that is being fetched from another gateway. */
const fetchedExtension = '.fetched';

/** Returns the file name of a recording that lacks a part of its call. */
export const truncatedName = (name: string): string => name.replace(/\.(ogg|mp3)$/, '.truncated.$1');

/** Matches only names of complete files. */
const completeName = /^([\da-f-]{36})(\.truncated)?\.(ogg|mp3)$/;

/** Maximum size of an Ogg page (RFC 3533). */
const largestPage = 65_307;

/** Reads the duration from the last page, which contains the total number of samples. */
const oggDuration = async (path: string): Promise<number> => {
  await using file = await open(path);
  const { size } = await file.stat();
  const end = Buffer.alloc(Math.min(size, largestPage));
  await file.read(end, 0, end.length, size - end.length);
  const page = end.lastIndexOf('OggS');
  return page === -1 || page + 14 > end.length
    ? 0
    : Number(end.readBigInt64LE(page + 6)) / recordingSampleRate;
};

/** Opens a file. Resolves to undefined if the file does not exist. */
const openFile = async (path: string): Promise<OpenRecording<Readable> | undefined> => {
  const opened = await open(path).catch(absence);
  if (opened === undefined) return undefined;
  const { size } = await opened.stat();
  return {
    bytes: size,
    // The file is read by its open handle, up to its size now, even if the file is removed or grows meanwhile.
    read: async (range) => opened.createReadStream(range ?? { start: 0, end: Math.max(0, size - 1) }),
    close: () => opened.close(),
  };
};

const createPartsFolder = (folder: string): PartsFolder => {
  const pathOf = (name: string): string => join(folder, name);

  const names = async (): Promise<string[]> => (await readdir(folder).catch(absence)) ?? [];

  const all = async (): Promise<PartInFolder[]> =>
    (await names()).flatMap((name) => {
      const part = partIn(name);
      return part === undefined ? [] : [{ ...part, name }];
    });

  return {
    async create(part) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const paths = [false, true].map((hasEnd) => pathOf(partName({ ...part, hasEnd, isCut: false })));
      const [path = '', endPath = ''] = paths;
      return openPartFile(path, endPath);
    },
    pathOf,
    async of(callId) {
      const own = (await all()).filter((part) => part.callId === callId);
      const isReplaced = ({ isCut, node, fromMs }: RawPart): boolean =>
        isCut && own.some((part) => !part.isCut && part.node === node && part.fromMs === fromMs);
      return own
        .filter((part) => !isReplaced(part))
        .toSorted((one, other) => one.fromMs - other.fromMs || Number(one.hasEnd) - Number(other.hasEnd));
    },
    calls: async () => new Set((await all()).map(({ callId }) => callId)),
    async savedAt(callId) {
      const own = (await all()).filter((part) => part.callId === callId);
      const found = await Promise.all(own.map(({ name }) => stat(pathOf(name)).catch(absence)));
      return Math.max(0, ...found.map((file) => file?.mtimeMs ?? 0));
    },
    open: (name) => openFile(pathOf(name)),
    async store(name, audio) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const incomplete = pathOf(`${name}${fetchedExtension}`);
      await pipeline(audio, createWriteStream(incomplete, { mode: 0o600 }));
      await rename(incomplete, pathOf(name));
    },
    async remove(callId) {
      for (const name of await names())
        if (name.startsWith(`${callId}+`)) await rm(pathOf(name), { force: true });
    },
  };
};

export const createRecordingFolder = (folder: string): RecordingFolder => {
  const pathOf = (file: string): string => join(folder, file);

  const read = async (file: string): Promise<CompleteFile | undefined> => {
    const [, callId, mark, extension] = completeName.exec(basename(file)) ?? [];
    const found = await stat(pathOf(file)).catch(absence);
    if (callId === undefined || found === undefined) return undefined;
    const { size: bytes, mtimeMs: savedAt } = found;
    const known = { callId, file, bytes, truncated: mark !== undefined, replaces: false, savedAt };
    return extension === 'ogg'
      ? { ...known, format: 'ogg', durationSec: await oggDuration(pathOf(file)) }
      : { ...known, format: 'mp3', durationSec: (bytes * 8) / (mp3Bitrate * 1_000) };
  };

  return {
    nameFor: (callId, at, format) => join(new Date(at).toISOString().slice(0, 7), `${callId}.${format}`),
    pathOf,
    read,
    async find(callId) {
      const files: string[] = [];
      for await (const file of glob(`*/${callId}{,.truncated}.{ogg,mp3}`, { cwd: folder })) files.push(file);
      // A truncated recording may have been completed since.
      const [file] = files.toSorted((one, other) => one.length - other.length);
      return file === undefined ? undefined : read(file);
    },
    async list() {
      const files = new Map<string, string>();
      for (const file of await filesIn(folder)) {
        const [, callId] = completeName.exec(basename(file)) ?? [];
        if (callId !== undefined) files.set(callId, file);
      }
      return files;
    },
    holds: async (file) => (await stat(pathOf(file)).catch(absence)) !== undefined,
    open: (file) => openFile(pathOf(file)),
    remove: (file) => rm(pathOf(file), { force: true }),
    async unfinished() {
      const files = new Map<string, string>();
      for (const file of await filesIn(folder)) {
        if (!file.endsWith(unfinishedExtension)) continue;
        const [callId = ''] = basename(file).split('.');
        files.set(callId, file);
      }
      return files;
    },
    parts: createPartsFolder(join(folder, 'parts')),
  };
};
