/**
 * Reads the samples of a response by its description and its first bytes. No samples are returned before the format is
 * certain, because other data must not be played as samples.
 */
import { isWav, readWavHeader } from './read-wav.ts';
import { createSampleReader } from './sample-reader.ts';
import { NotLinearPcm, type AudioFormat, describedAudio, isUsable } from './audio-description.ts';

// Signatures of files and texts, which would be loud noise if they were played as samples.

/** Signatures. `at` is the position of the bytes. */
const marks: readonly { at: number; bytes: Buffer }[] = [
  ...['RIFF', 'RF64', 'OggS', 'fLaC', 'ID3', 'FORM', '.snd', 'caff', '#!AMR'].map((text) => ({
    at: 0,
    bytes: Buffer.from(text, 'latin1'),
  })),
  { at: 4, bytes: Buffer.from('ftyp', 'latin1') },
  // Signature of Matroska and WebM.
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

/**
 * Returns the length in bytes of the MP3 or ADTS frame that begins here; `null` if no frame begins here or more bytes
 * are needed.
 */
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

/** Whether the bytes begin with two consecutive frames of compressed audio, which samples contain only by chance. */
const beginsWithFrames = (head: Buffer): boolean => {
  const length = frameLength(head);
  return length !== null && length > 6 && isMpegFrame(head[length], head[length + 1]);
};

/** Number of consecutive letters that mean text, because samples do not begin with that many letters. */
const textBytes = 8;

/** Number of bytes needed to detect signatures and text. */
const beginningBytes = 16;

/** Number of bytes needed to detect compressed frames. */
const frameBytes = (head: Buffer): number => (frameLength(head) ?? 0) + 2;

/**
 * Whether these bytes are something other than raw samples. For undescribed bytes, one frame of compressed audio is
 * enough.
 */
const isOtherFormat = (head: Buffer, described: boolean): boolean =>
  marks.some(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes)) ||
  (head.length > 1 && head.subarray(0, textBytes).every(isPrintable)) ||
  (described ? beginsWithFrames(head) : isMpegFrame(head[0], head[1]));

export type AudioReader = {
  /** Returns the samples so far, as one channel. Throws NotLinearPcm. */
  take(bytes: Uint8Array): Int16Array;
  /** Returns the remaining samples at the end of the response. Throws NotLinearPcm. */
  end(): Int16Array;
  sampleRate(): number;
};

/** Position of the samples, and their largest number of bytes. */
type Beginning = { format: AudioFormat; at: number; length: number };

/** Maximum size of a header in bytes. */
const longestHeader = 64 * 1024;

/** Number of bytes from which the byte order is detected; silent bytes do not count. */
const orderBytes = 1_024;
const mostOrderBytes = 8 * 1024;

/** Returns the sum of the differences between neighbouring samples, which is large in the wrong byte order. */
const roughness = (bytes: Buffer, format: AudioFormat): number => {
  const samples = createSampleReader(format)(bytes);
  let sum = 0;
  for (let at = 1; at < samples.length; at += 1) sum += Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0));
  return sum;
};

/** Detects the byte order. Returns `null` if more bytes are needed. */
const withKnownOrder = (bytes: Buffer, format: AudioFormat, isWhole: boolean): AudioFormat | null => {
  if (bytes.length < orderBytes && !isWhole) return null;
  const little: AudioFormat = { ...format, byteOrder: 'little' };
  const [asStated, asLittle] = [roughness(bytes, format), roughness(bytes, little)];
  if (asStated === 0 && bytes.length < mostOrderBytes && !isWhole) return null;
  return asLittle * 2 < asStated ? little : format;
};

export const createAudioReader = (contentType: string, usualRate: number): AudioReader => {
  const described = describedAudio(contentType, usualRate);
  const usual: AudioFormat = { sampleRate: usualRate, channels: 1, byteOrder: 'little' };
  let format = described.kind === 'samples' ? described.format : usual;
  /** Bytes whose format is not known yet. */
  let head = Buffer.alloc(0);
  let read: ((bytes: Uint8Array) => Int16Array) | null = null;
  let bytesLeft = Infinity;

  const wavBeginning = (isWhole: boolean): Beginning | null => {
    const header = readWavHeader(head);
    if (header !== null && isUsable(header.format)) return header;
    if (header !== null || isWhole || head.length > longestHeader)
      throw new NotLinearPcm('This WAV file cannot be read');
    return null;
  };

  const samplesBeginning = (isWhole: boolean): Beginning | null => {
    const isDescribed = described.kind === 'samples';
    if (isDescribed && head.length < frameBytes(head) && !isWhole) return null;
    if (isOtherFormat(head, isDescribed)) throw new NotLinearPcm('These are no samples');
    const isSure = described.kind !== 'samples' || described.isOrderSure;
    const known = isSure ? format : withKnownOrder(head, format, isWhole);
    return known && { format: known, at: 0, length: Infinity };
  };

  /** Detects the beginning of the samples. Returns `null` if more bytes are needed. */
  const beginning = (isWhole: boolean): Beginning | null => {
    if (head.length < beginningBytes && !isWhole) return null;
    if (isWav(head)) return wavBeginning(isWhole);
    if (described.kind === 'wav' || described.kind === 'other')
      throw new NotLinearPcm('The type is none of samples');
    return samplesBeginning(isWhole);
  };

  const readOn = (bytes: Uint8Array): Int16Array => {
    const wanted = bytes.subarray(0, bytesLeft);
    bytesLeft -= wanted.length;
    return read?.(wanted) ?? new Int16Array();
  };

  const readHead = (isWhole: boolean): Int16Array => {
    const found = head.length === 0 ? null : beginning(isWhole);
    if (found === null) return new Int16Array();
    format = found.format;
    read = createSampleReader(format);
    bytesLeft = found.length;
    const sound = head.subarray(found.at);
    head = Buffer.alloc(0);
    return readOn(sound);
  };

  return {
    take(bytes) {
      if (read !== null) return readOn(bytes);
      head = Buffer.concat([head, bytes]);
      return readHead(false);
    },
    end: () => (read === null ? readHead(true) : new Int16Array()),
    sampleRate: () => format.sampleRate,
  };
};
