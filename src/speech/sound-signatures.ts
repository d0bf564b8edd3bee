/** First bytes of files and texts other than raw samples; played as samples they are loud noise. */

/** `at`: position of the bytes. */
const marks: readonly { at: number; bytes: Buffer }[] = [
  ...['RIFF', 'RF64', 'OggS', 'fLaC', 'ID3', 'FORM', '.snd', 'caff', '#!AMR'].map((text) => ({
    at: 0,
    bytes: Buffer.from(text, 'latin1'),
  })),
  { at: 4, bytes: Buffer.from('ftyp', 'latin1') },
  // Matroska and WebM.
  { at: 0, bytes: Buffer.from([0x1a, 0x45, 0xdf, 0xa3]) },
];

const isPrintable = (byte: number): boolean =>
  byte === 0x09 || byte === 0x0a || byte === 0x0d || (byte >= 0x20 && byte <= 0x7e);

const isMpegFrame = (first: number | undefined, second: number | undefined): boolean => {
  if (first !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return false;
  const version = (second >> 3) & 3;
  const layer = (second >> 1) & 3;
  const isLayer3 = layer === 1 && version !== 1;
  const isAdts = (second & 0xf6) === 0xf0;
  return isLayer3 || isAdts;
};

const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
const mpegRates = [44_100, 48_000, 32_000] as const;

/** Length in bytes of the MP3 or ADTS frame that begins here; `null` if there is none or more bytes are needed. */
const frameLength = (bytes: Buffer): number | null => {
  const [first, second, third = 0, fourth = 0, fifth = 0, sixth = 0] = bytes;
  if (!isMpegFrame(first, second) || second === undefined) return null;
  if ((second & 0xf6) === 0xf0) return ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5);
  const version = (second >> 3) & 3;
  const bitRate = (version === 3 ? bitRates1 : bitRates2)[third >> 4] ?? 0;
  const rate = (mpegRates[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (bitRate === 0 || rate === 0) return null;
  return Math.floor(((version === 3 ? 144 : 72) * bitRate * 1_000) / rate) + ((third >> 1) & 1);
};

/** Two consecutive frames of compressed audio, which samples contain only by chance. */
const beginsWithFrames = (head: Buffer): boolean => {
  const length = frameLength(head);
  return length !== null && length > 6 && isMpegFrame(head[length], head[length + 1]);
};

/** Consecutive letters that samples do not begin with. */
const textBytes = 8;

/** Number of bytes needed to detect signatures and text. */
export const beginningBytes = 16;

/** Number of bytes needed to detect compressed frames. */
export const frameBytes = (head: Buffer): number => (frameLength(head) ?? 0) + 2;

/**
 * Whether these bytes are something other than raw samples. Without a description, one frame of compressed audio is
 * enough.
 */
export const isOtherFormat = (head: Buffer, described: boolean): boolean =>
  marks.some(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes)) ||
  (head.length > 1 && head.subarray(0, textBytes).every(isPrintable)) ||
  (described ? beginsWithFrames(head) : isMpegFrame(head[0], head[1]));
