/**
 * Folder in which recordings are written, and stored permanently without a store: `<year>-<month>/<call id>.<format>`.
 */
import { glob, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { mp3Bitrate, type RecordingFormat } from './encoder.ts';
import { partExtension, syncFolder, truncatedName } from './recording-file.ts';
import { cutToPlayable } from './salvage.ts';

/** A complete file. */
export type CompleteFile = {
  callId: string;
  /** Path relative to the folder. */
  file: string;
  format: RecordingFormat;
  durationSec: number;
  bytes: number;
  /** Whether the end is missing because the process that wrote the file ended early. */
  truncated: boolean;
  /** Wall-clock milliseconds since the epoch. */
  savedAt: number;
};

export type RecordingFolder = {
  /** Returns the path of a new file, relative to the folder. */
  nameFor(callId: string, at: number, format: RecordingFormat): string;
  pathOf(file: string): string;
  /**
   * Finds the complete file of a call; its duration is read from the file, for MP3 with a precision of a tenth of a
   * second.
   */
  find(callId: string): Promise<CompleteFile | undefined>;
  /**
   * Completes the partial file of a call after the death of a process or a full disk; undefined if no part of it is
   * playable.
   */
  salvage(callId: string): Promise<CompleteFile | undefined>;
  /** The complete files by call. */
  list(): Promise<ReadonlyMap<string, string>>;
  /** A complete file with the name returned by `list`; undefined if it was removed. */
  read(file: string): Promise<CompleteFile | undefined>;
  holds(file: string): Promise<boolean>;
  /** Opens the file; undefined if it does not exist. */
  open(file: string): Promise<OpenRecording<Readable> | undefined>;
  remove(file: string): Promise<void>;
  /** Path of a call's half-written file, relative to the folder; undefined if there is none. */
  partOf(callId: string): Promise<string | undefined>;
  /** Removes the half-written file of a call. */
  discard(callId: string): Promise<void>;
  /** Paths of the half-written files by call, relative to the folder. */
  parts(): Promise<ReadonlyMap<string, string>>;
};

export const formatOf = (file: string): RecordingFormat => (file.endsWith('.mp3') ? 'mp3' : 'ogg');

/** Treats a missing file as a valid result; throws other disk errors. */
const absence = (error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
};

/** Matches only names of complete files. */
const completeName = /^([\da-f-]{36})(\.truncated)?\.(ogg|mp3)$/;

/** Maximum size of an Ogg page (RFC 3533). */
const largestPage = 65_307;

/** The last page contains the total number of samples. */
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

export const createRecordingFolder = (folder: string): RecordingFolder => {
  const pathOf = (file: string): string => join(folder, file);

  const read = async (file: string): Promise<CompleteFile | undefined> => {
    const [, callId, mark, extension] = completeName.exec(basename(file)) ?? [];
    const found = await stat(pathOf(file)).catch(absence);
    if (callId === undefined || found === undefined) return undefined;
    const { size: bytes, mtimeMs: savedAt } = found;
    const known = { callId, file, bytes, truncated: mark !== undefined, savedAt };
    return extension === 'ogg'
      ? { ...known, format: 'ogg', durationSec: await oggDuration(pathOf(file)) }
      : { ...known, format: 'mp3', durationSec: (bytes * 8) / (mp3Bitrate * 1_000) };
  };

  const partOf = async (callId: string): Promise<string | undefined> => {
    for await (const part of glob(`*/${callId}.{ogg,mp3}${partExtension}`, { cwd: folder })) return part;
    return undefined;
  };

  const salvagePart = async (part: string): Promise<CompleteFile | undefined> => {
    const name = part.slice(0, -partExtension.length);
    if ((await cutToPlayable(pathOf(part), formatOf(name))) === null) return undefined;
    const file = truncatedName(name);
    await rename(pathOf(part), pathOf(file));
    await syncFolder(dirname(pathOf(file)));
    return read(file);
  };

  return {
    nameFor: (callId, at, format) => join(new Date(at).toISOString().slice(0, 7), `${callId}.${format}`),
    pathOf,
    read,
    async find(callId) {
      for await (const file of glob(`*/${callId}{,.truncated}.{ogg,mp3}`, { cwd: folder })) return read(file);
      return undefined;
    },
    async salvage(callId) {
      const part = await partOf(callId);
      return part === undefined ? undefined : salvagePart(part);
    },
    partOf,
    async discard(callId) {
      const part = await partOf(callId);
      if (part !== undefined) await rm(pathOf(part), { force: true });
    },
    async list() {
      const files = new Map<string, string>();
      for await (const file of glob('*/*', { cwd: folder })) {
        const [, callId] = completeName.exec(basename(file)) ?? [];
        if (callId !== undefined) files.set(callId, file);
      }
      return files;
    },
    holds: async (file) => (await stat(pathOf(file)).catch(absence)) !== undefined,
    async open(file) {
      const opened = await open(pathOf(file)).catch(absence);
      if (opened === undefined) return undefined;
      const { size } = await opened.stat();
      return {
        bytes: size,
        // Reads through the open file, which works to its end even if the file is removed meanwhile.
        read: async (range) => opened.createReadStream(range),
        close: () => opened.close(),
      };
    },
    remove: (file) => rm(pathOf(file), { force: true }),
    async parts() {
      const parts = new Map<string, string>();
      for await (const part of glob(`*/*${partExtension}`, { cwd: folder })) {
        const [callId = ''] = basename(part).split('.');
        parts.set(callId, part);
      }
      return parts;
    },
  };
};
