/**
 * Reads the samples of a response by its description and its first bytes. Nothing is returned before the format is
 * certain: other data must not be played as samples.
 */
import { createSampleReader } from './sample-reader.ts';
import { isWav, readWavHeader } from './read-wav.ts';
import { describedSound, isUsable, NotLinearSound, type SoundFormat } from './sound-description.ts';
import { beginningBytes, frameBytes, isOtherFormat } from './sound-signatures.ts';

export type SoundReader = {
  /** Returns the samples so far, as one channel. Throws NotLinearSound. */
  take(bytes: Uint8Array): Int16Array;
  /** The response has ended: returns the remaining samples. Throws NotLinearSound. */
  end(): Int16Array;
  sampleRate(): number;
};

/** Position of the samples and their largest number of bytes. */
type Beginning = { format: SoundFormat; at: number; length: number };

/** Largest header. */
const longestHeader = 64 * 1024;

/** Number of bytes from which the byte order is detected, unless they are silent. */
const orderBytes = 1_024;
const mostOrderBytes = 8 * 1024;

/** Sum of the differences between neighbouring samples; it is large in the wrong byte order. */
const roughness = (bytes: Buffer, format: SoundFormat): number => {
  const samples = createSampleReader(format)(bytes);
  let sum = 0;
  for (let at = 1; at < samples.length; at += 1) sum += Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0));
  return sum;
};

/** Returns `null` if more bytes are needed. */
const withKnownOrder = (bytes: Buffer, format: SoundFormat, isWhole: boolean): SoundFormat | null => {
  if (bytes.length < orderBytes && !isWhole) return null;
  const little: SoundFormat = { ...format, byteOrder: 'little' };
  const [asStated, asLittle] = [roughness(bytes, format), roughness(bytes, little)];
  if (asStated === 0 && bytes.length < mostOrderBytes && !isWhole) return null;
  return asLittle * 2 < asStated ? little : format;
};

export const createSoundReader = (contentType: string, usualRate: number): SoundReader => {
  const described = describedSound(contentType, usualRate);
  const usual: SoundFormat = { sampleRate: usualRate, channels: 1, byteOrder: 'little' };
  let format = described.kind === 'samples' ? described.format : usual;
  /** Bytes of which the format is not known yet. */
  let head = Buffer.alloc(0);
  let read: ((bytes: Uint8Array) => Int16Array) | null = null;
  let bytesLeft = Infinity;

  const wavBeginning = (isWhole: boolean): Beginning | null => {
    const header = readWavHeader(head);
    if (header !== null && isUsable(header.format)) return header;
    if (header !== null || isWhole || head.length > longestHeader)
      throw new NotLinearSound('This WAV file cannot be read');
    return null;
  };

  const samplesBeginning = (isWhole: boolean): Beginning | null => {
    const isDescribed = described.kind === 'samples';
    if (isDescribed && head.length < frameBytes(head) && !isWhole) return null;
    if (isOtherFormat(head, isDescribed)) throw new NotLinearSound('These are no samples');
    const isSure = described.kind !== 'samples' || described.isOrderSure;
    const known = isSure ? format : withKnownOrder(head, format, isWhole);
    return known && { format: known, at: 0, length: Infinity };
  };

  /** Returns `null` if more bytes are needed. */
  const beginning = (isWhole: boolean): Beginning | null => {
    if (head.length < beginningBytes && !isWhole) return null;
    if (isWav(head)) return wavBeginning(isWhole);
    if (described.kind === 'wav' || described.kind === 'other')
      throw new NotLinearSound('The type is none of samples');
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
