/** Ogg pages (RFC 3533, section 6), and their renumbering to append one stream to another. */

/** Length of a page header up to the segment table. */
export const oggHeader = 27;

const offset = { flags: 5, granule: 6, serial: 14, sequence: 18, checksum: 22, segments: 26 } as const;
const beginsStream = 0x02;

/** Ogg's checksum: polynomial 0x04c11db7, without inversion; uses a byte table for speed. */
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

export const isPage = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === 'OggS';

export const segmentCount = (header: Buffer): number => header.readUInt8(offset.segments);

/** Length of the page with this segment table. */
export const pageBytes = (segments: Buffer): number =>
  oggHeader + segments.length + segments.reduce((sum, length) => sum + length, 0);

/** Whether the checksum of a complete page is correct. */
export const isIntact = (page: Buffer): boolean => {
  const told = page.readUInt32LE(offset.checksum);
  const bare = Buffer.from(page);
  bare.writeUInt32LE(0, offset.checksum);
  return checksum(bare) === told;
};

/** Number of samples up to the end of a page; -1 if no packet ends on it, 0 for headers. */
export const granuleOf = (page: Buffer): bigint => page.readBigInt64LE(offset.granule);

/** Position of a stream after a page. */
export type StreamPosition = { serial: number; sequence: number; granule: bigint };

export const positionAfter = (page: Buffer): StreamPosition => ({
  serial: page.readUInt32LE(offset.serial),
  sequence: page.readUInt32LE(offset.sequence),
  granule: granuleOf(page),
});

/** Copy of a page with this offset after it. */
export const repeatedPage = (page: Buffer, after: StreamPosition): Buffer => {
  const next = Buffer.from(page);
  next.writeUInt8(next.readUInt8(offset.flags) & ~beginsStream, offset.flags);
  next.writeBigInt64LE(after.granule, offset.granule);
  next.writeUInt32LE(after.serial, offset.serial);
  next.writeUInt32LE(after.sequence >>> 0, offset.sequence);
  next.writeUInt32LE(0, offset.checksum);
  next.writeUInt32LE(checksum(next), offset.checksum);
  return next;
};

const rewritten = (page: Buffer, sequence: number, { serial, granule }: StreamPosition): Buffer => {
  const own = granuleOf(page);
  return repeatedPage(page, { serial, sequence, granule: own < 0n ? own : own + granule });
};

/** Splits a stream into its complete pages, in order. */
export const pagesIn = (stream: Buffer): Buffer[] => {
  const pages: Buffer[] = [];
  let from = 0;
  while (from + oggHeader <= stream.length) {
    const end = from + oggHeader + segmentCount(stream.subarray(from));
    const bytes = pageBytes(stream.subarray(from + oggHeader, end));
    pages.push(stream.subarray(from, from + bytes));
    from += bytes;
  }
  return pages;
};

/**
 * Returns a function that accepts the pages of a new stream in arbitrary pieces and renumbers them to follow `after`.
 * Its headers are dropped: the earlier stream has the same ones, because both use the same encoder and settings.
 */
export const createFollowingPages = (after: StreamPosition): ((encoded: Uint8Array) => Uint8Array) => {
  let waiting: Buffer = Buffer.alloc(0);
  let { sequence } = after;
  let isAudio = false;

  const takePage = (): Buffer | undefined => {
    if (waiting.length < oggHeader) return undefined;
    const end = oggHeader + segmentCount(waiting);
    if (waiting.length < end) return undefined;
    const bytes = pageBytes(waiting.subarray(oggHeader, end));
    if (waiting.length < bytes) return undefined;
    const page = waiting.subarray(0, bytes);
    waiting = waiting.subarray(bytes);
    return page;
  };

  return (encoded) => {
    waiting = Buffer.concat([waiting, encoded]);
    const pages: Buffer[] = [];
    for (let page = takePage(); page !== undefined; page = takePage()) {
      // Drops the headers, which end before the first sample (Vorbis I specification, A.2).
      isAudio ||= granuleOf(page) > 0n;
      if (!isAudio) continue;
      sequence = (sequence + 1) >>> 0;
      pages.push(rewritten(page, sequence, after));
    }
    return Buffer.concat(pages);
  };
};
