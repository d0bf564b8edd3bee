/**
 * Reads as much of an Ogg Vorbis file as needed to find, without decoding it, when each side of a call is audible (RFC
 * 3533; Vorbis I specification 4.2.2 and 4.3.1).
 */

type Page = { flags: number; granule: number; packets: Buffer[]; goesOn: boolean };

/** The checksum of Ogg: polynomial 0x04c11db7, without inversion. */
const checksum = (bytes: Buffer): number => {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80_00_00_00 ? (sum << 1) ^ 0x04_c1_1d_b7 : sum << 1;
  }
  return sum >>> 0;
};

const readPages = (file: Buffer): Page[] => {
  const pages: Page[] = [];
  for (let at = 0; at < file.length;) {
    if (file.toString('latin1', at, at + 4) !== 'OggS') throw new Error(`No page begins at ${at}`);
    const count = file.readUInt8(at + 26);
    const lengths = file.subarray(at + 27, at + 27 + count);
    const body = at + 27 + count;
    const end = body + lengths.reduce((sum, length) => sum + length, 0);
    const page = Buffer.from(file.subarray(at, end));
    page.writeUInt32LE(0, 22);
    if (checksum(page) !== file.readUInt32LE(at + 22)) throw new Error(`The page at ${at} is damaged`);
    const packets: Buffer[] = [];
    let from = body;
    let to = body;
    for (const length of lengths) {
      to += length;
      if (length === 255) continue;
      packets.push(file.subarray(from, to));
      from = to;
    }
    if (to > from) packets.push(file.subarray(from, to));
    const granule = Number(file.readBigInt64LE(at + 6));
    pages.push({ flags: file.readUInt8(at + 5), granule, packets, goesOn: lengths.at(-1) === 255 });
    at = end;
  }
  return pages;
};

const packetsOf = (pages: readonly Page[]): Buffer[] => {
  const packets: Buffer[] = [];
  let begun: Buffer | undefined;
  for (const page of pages) {
    for (const [index, part] of page.packets.entries()) {
      const packet: Buffer = begun === undefined ? part : Buffer.concat([begun, part]);
      begun = page.goesOn && index === page.packets.length - 1 ? packet : undefined;
      if (begun === undefined) packets.push(packet);
    }
  }
  return packets;
};

export type OggVorbis = {
  channels: number;
  sampleRate: number;
  seconds: number;
  isWhole: boolean;
  /** In order of time; the right side can be measured only while the left is silent. */
  blocks: { at: number; left: boolean; right: boolean | undefined }[];
};

export const readOggVorbis = (file: Buffer): OggVorbis => {
  const pages = readPages(file);
  const [identification, , , ...audio] = packetsOf(pages);
  if (identification?.toString('latin1', 1, 7) !== 'vorbis') throw new Error('This is no Vorbis');
  const sampleRate = identification.readUInt32LE(12);
  const sizes = identification.readUInt8(28);
  const blockSizes = [2 ** (sizes & 15), 2 ** (sizes >> 4)];
  let samples = 0;
  let before: number | undefined;
  const blocks = audio.map((packet) => {
    const bit = (index: number): number => ((packet[index >> 3] ?? 0) >> (index & 7)) & 1;
    // libvorbis has two modes: 0 for short blocks, 1 for long ones, which encode the shape of their edges in two bits.
    const isLong = bit(1);
    const size = blockSizes[isLong] ?? 0;
    if (before !== undefined) samples += before / 4 + size / 4;
    before = size;
    const flags = isLong === 1 ? 4 : 2;
    const left = bit(flags) === 1;
    return { at: samples / sampleRate, left, right: left ? undefined : bit(flags + 1) === 1 };
  });
  return {
    channels: identification.readUInt8(11),
    sampleRate,
    seconds: (pages.at(-1)?.granule ?? 0) / sampleRate,
    isWhole: pages[0]?.flags === 2 && ((pages.at(-1)?.flags ?? 0) & 4) === 4,
    blocks,
  };
};
