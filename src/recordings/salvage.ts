/**
 * What of a half-written recording can be played: everything up to the last page of Ogg (RFC 3533, section 6) or frame of
 * MP3 that is there whole. Both formats are made of pieces that stand for themselves, so what was written before a
 * process died is as good as ever.
 */
import { open, type FileHandle } from 'node:fs/promises';
import type { RecordingFormat } from './encoder.ts';

const oggHeader = 27;

/** Ogg's checksum: polynomial 0x04c11db7, nothing inverted; a table of all bytes makes it quick. */
const checksumTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80_00_00_00 ? (sum << 1) ^ 0x04_c1_1d_b7 : sum << 1;
  return sum;
});

const checksum = (page: Buffer): number => {
  let sum = 0;
  for (const byte of page) sum = (sum << 8) ^ (checksumTable[((sum >>> 24) ^ byte) & 0xff] ?? 0);
  return sum >>> 0;
};

/** Undefined where the file ends before. */
const readAt = async (file: FileHandle, from: number, length: number): Promise<Buffer | undefined> => {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytesRead === length ? bytes : undefined;
};

type Piece = { bytes: number; hasSound: boolean };

/** The whole page that begins here. */
const oggPage = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, oggHeader);
  if (header === undefined || header.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const segments = await readAt(file, from + oggHeader, header.readUInt8(26));
  if (segments === undefined) return undefined;
  const bytes = oggHeader + segments.length + segments.reduce((sum, length) => sum + length, 0);
  const page = await readAt(file, from, bytes);
  if (page === undefined) return undefined;
  const told = page.readUInt32LE(22);
  page.writeUInt32LE(0, 22);
  if (checksum(page) !== told) return undefined;
  // Pages of the headers end before the first sample; one on which nothing ends says -1.
  return { bytes, hasSound: page.readBigInt64LE(6) > 0n };
};

/** MPEG-2 layer III without a checksum, at 64 kbit/s and 16 kHz, which is what `encoder.ts` makes. */
const mp3Frame = async (file: FileHandle, from: number): Promise<Piece | undefined> => {
  const header = await readAt(file, from, 4);
  if (header === undefined || header.readUInt16BE(0) !== 0xff_f3) return undefined;
  const rates = header.readUInt8(2);
  if (rates >> 2 !== 0b10_00_10) return undefined;
  const bytes = 288 + ((rates >> 1) & 1);
  return (await readAt(file, from, bytes)) && { bytes, hasSound: true };
};

const pieceOf = { ogg: oggPage, mp3: mp3Frame } as const;

/** How many bytes from the beginning on can be played; 0 when no sound is among them. */
const playableBytes = async (file: FileHandle, format: RecordingFormat): Promise<number> => {
  let bytes = 0;
  let hasSound = false;
  for (;;) {
    const piece = await pieceOf[format](file, bytes);
    if (piece === undefined) return hasSound ? bytes : 0;
    bytes += piece.bytes;
    hasSound ||= piece.hasSound;
  }
};

/** Cuts off what cannot be played. Resolves to whether anything is left. */
export const cutToPlayable = async (path: string, format: RecordingFormat): Promise<boolean> => {
  await using file = await open(path, 'r+');
  const bytes = await playableBytes(file, format);
  await file.truncate(bytes);
  await file.sync();
  return bytes > 0;
};
