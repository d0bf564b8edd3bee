/** Parts of a recording, read independently of the code that wrote it. */
import { readOggVorbis } from './ogg-vorbis.ts';

/** The pages of an Ogg file, the frames of an MP3 file. */
export const piecesOf = (format: 'ogg' | 'mp3', bytes: Buffer): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const count = format === 'ogg' ? bytes.readUInt8(at + 26) : 0;
    const lengths = bytes.subarray(at + 27, at + 27 + count);
    // Whether the next part of the file begins with a mark for decoders: that of a page, or the sync word of a frame.
    const isPiece =
      format === 'ogg' ? bytes.toString('latin1', at, at + 4) === 'OggS' : bytes.readUInt16BE(at) >= 0xffe0;
    if (!isPiece) throw new Error(`There is no piece at byte ${at}`);
    const length = format === 'ogg' ? 27 + count + lengths.reduce((sum, each) => sum + each, 0) : 288;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
};

/** Duration of a recording by a full read; throws if it is damaged. */
export const secondsOf = async (format: 'ogg' | 'mp3', bytes: Buffer): Promise<number> =>
  format === 'ogg' ? readOggVorbis(bytes).seconds : (piecesOf('mp3', bytes).length * 576) / 16_000;

/** The stretches of audio of the counterparty, as [begin, end] in whole seconds. */
export const heardIn = (bytes: Buffer): number[][] => {
  const times = readOggVorbis(bytes)
    .blocks.filter(({ left }) => left)
    .map(({ at }) => at);
  const stretches: number[][] = [];
  for (const at of times) {
    const last = stretches.at(-1);
    if (last === undefined || at - (last[1] ?? 0) > 1) stretches.push([at, at]);
    else last[1] = at;
  }
  return stretches.map((stretch) => stretch.map(Math.round));
};
