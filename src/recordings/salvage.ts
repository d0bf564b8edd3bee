/**
 * Finds the part of a half-written recording that can be played: everything up to the last page of Ogg (RFC 3533,
 * section 6) or frame of MP3 that is there whole. Both formats are made of pieces that stand for themselves, so what
 * was written before a process died is as good as ever.
 */
import { open, type FileHandle } from 'node:fs/promises';
import type { RecordingFormat } from './encoder.ts';
import {
  granuleOf,
  isIntact,
  isPage,
  oggHeader,
  pageBytes,
  placeAfter,
  segmentCount,
  type StreamPlace,
} from './ogg-pages.ts';

/** Undefined where the file ends before. */
const readAt = async (file: FileHandle, from: number, length: number): Promise<Buffer | undefined> => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytesRead === length ? bytes : undefined;
};

type Piece = { bytes: number; hasSound: boolean; place: StreamPlace | null };

/** The whole page that begins here. */
const oggPage = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, oggHeader);
  if (header === undefined || !isPage(header)) return undefined;
  const segments = await readAt(file, from + oggHeader, segmentCount(header));
  if (segments === undefined) return undefined;
  const bytes = pageBytes(segments);
  const page = await readAt(file, from, bytes);
  if (page === undefined || !isIntact(page)) return undefined;
  return { bytes, hasSound: granuleOf(page) > 0n, place: placeAfter(page) };
};

/** MPEG-2 layer III without a checksum, at 64 kbit/s and 16 kHz, which is what `encoder.ts` makes. */
const mp3Frame = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, 4);
  if (header === undefined || header.readUInt16BE(0) !== 0xff_f3) return undefined;
  const rates = header.readUInt8(2);
  if (rates >> 2 !== 0b10_00_10) return undefined;
  const bytes = 288 + ((rates >> 1) & 1);
  return (await readAt(file, from, bytes)) && { bytes, hasSound: true, place: null };
};

const pieceOf = { ogg: oggPage, mp3: mp3Frame } as const;

/** The part of a file that can be played. */
export type Playable = {
  bytes: number;
  /** Of Ogg: where its last page leaves the stream. */
  place: StreamPlace | null;
};

/** From the beginning on; null when no sound is among it. */
const playableOf = async (file: FileHandle, format: RecordingFormat): Promise<Playable | null> => {
  let bytes = 0;
  let hasSound = false;
  let place: StreamPlace | null = null;
  for (;;) {
    const piece = await pieceOf[format](file, bytes);
    if (piece === undefined) return hasSound ? { bytes, place } : null;
    bytes += piece.bytes;
    hasSound ||= piece.hasSound;
    // Nothing ends on a page that says -1: the stream is where it was.
    if (piece.place !== null)
      place = piece.place.granule < 0n && place ? { ...piece.place, granule: place.granule } : piece.place;
  }
};

/** Cuts off what cannot be played. Resolves to what is left, or to null. */
export const cutToPlayable = async (path: string, format: RecordingFormat): Promise<Playable | null> => {
  await using file = await open(path, 'r+');
  const playable = await playableOf(file, format);
  await file.truncate(playable?.bytes ?? 0);
  await file.sync();
  return playable;
};
