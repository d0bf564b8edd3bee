/**
 * Finds the playable part of a half-written recording: everything up to its last complete Ogg page (RFC 3533, section
 * 6) or MP3 frame. Pages and frames are self-contained, so data written before a crash remains usable.
 */
import { open, type FileHandle } from 'node:fs/promises';
import type { RecordingFormat } from './encoder.ts';
import {
  granuleOf,
  isIntact,
  isPage,
  oggHeader,
  pageBytes,
  positionAfter,
  segmentCount,
  type StreamPosition,
} from './ogg-pages.ts';

/** Reads bytes; undefined if the file ends earlier. */
const readAt = async (file: FileHandle, from: number, length: number): Promise<Buffer | undefined> => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytesRead === length ? bytes : undefined;
};

type Piece = { bytes: number; hasAudio: boolean; position: StreamPosition | null };

/** The complete page at this position. */
const oggPage = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, oggHeader);
  if (header === undefined || !isPage(header)) return undefined;
  const segments = await readAt(file, from + oggHeader, segmentCount(header));
  if (segments === undefined) return undefined;
  const bytes = pageBytes(segments);
  const page = await readAt(file, from, bytes);
  if (page === undefined || !isIntact(page)) return undefined;
  return { bytes, hasAudio: granuleOf(page) > 0n, position: positionAfter(page) };
};

/** MPEG-2 layer III without a checksum, at 64 kbit/s and 16 kHz: the output of `encoder.ts`. */
const mp3Frame = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, 4);
  if (header === undefined || header.readUInt16BE(0) !== 0xff_f3) return undefined;
  const rates = header.readUInt8(2);
  if (rates >> 2 !== 0b10_00_10) return undefined;
  const bytes = 288 + ((rates >> 1) & 1);
  return (await readAt(file, from, bytes)) && { bytes, hasAudio: true, position: null };
};

const pieceOf = { ogg: oggPage, mp3: mp3Frame } as const;

/** The playable part of a file. */
export type Playable = {
  bytes: number;
  /** Ogg: stream position after the last page. */
  position: StreamPosition | null;
};

/** Returns the playable part from the beginning of the file; null if it contains no audio. */
const playableOf = async (file: FileHandle, format: RecordingFormat): Promise<Playable | null> => {
  let bytes = 0;
  let hasAudio = false;
  let position: StreamPosition | null = null;
  for (;;) {
    const piece = await pieceOf[format](file, bytes);
    if (piece === undefined) return hasAudio ? { bytes, position } : null;
    bytes += piece.bytes;
    hasAudio ||= piece.hasAudio;
    // A page with granule -1 ends no packet: the stream position is unchanged.
    if (piece.position !== null)
      position =
        piece.position.granule < 0n && position
          ? { ...piece.position, granule: position.granule }
          : piece.position;
  }
};

/** Truncates the file to its playable part. Resolves to that part, or to null. */
export const cutToPlayable = async (path: string, format: RecordingFormat): Promise<Playable | null> => {
  await using file = await open(path, 'r+');
  const playable = await playableOf(file, format);
  await file.truncate(playable?.bytes ?? 0);
  await file.sync();
  return playable;
};
