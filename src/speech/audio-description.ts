/** Audio format of a response as its Content-Type describes it. */
import { MIMEType } from 'node:util';

export type ByteOrder = 'little' | 'big';

/** Format of 16-bit linear samples; the samples of several channels are interleaved. */
export type AudioFormat = { sampleRate: number; channels: number; byteOrder: ByteOrder };

/**
 * Kind of the audio: a WAV file, raw samples, or undescribed bytes. The byte order of `audio/L16` is uncertain: RFC
 * 3551 requires network byte order, but some servers send little-endian samples.
 */
export type AudioDescription =
  | { kind: 'wav' }
  | { kind: 'samples'; format: AudioFormat; isOrderSure: boolean }
  | { kind: 'undescribed' }
  /** Another format, or a format that is not known. */
  | { kind: 'other' };

/** Thrown when the audio is not 16-bit linear, or its format is unknown. */
export class NotLinearPcm extends Error {
  override readonly name = 'NotLinearPcm';
}

const lowestRate = 4_000;
const highestRate = 192_000;
const mostChannels = 8;

export const isUsable = ({ sampleRate, channels }: Omit<AudioFormat, 'byteOrder'>): boolean =>
  Number.isInteger(sampleRate) &&
  sampleRate >= lowestRate &&
  sampleRate <= highestRate &&
  Number.isInteger(channels) &&
  channels >= 1 &&
  channels <= mostChannels;

const undescribed: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'application/x-binary',
  'binary/octet-stream',
]);
const wav: ReadonlySet<string> = new Set(['audio/wav', 'audio/wave', 'audio/x-wav', 'audio/vnd.wave']);
const littleEndian: ReadonlySet<string> = new Set(['audio/pcm', 'audio/x-pcm', 'audio/raw', 'audio/x-raw']);
/** Media types with network byte order by RFC 3551. */
const networkOrder: ReadonlySet<string> = new Set(['audio/l16', 'audio/x-l16']);

/** Parameter values for 16-bit linear samples. Other values mean another encoding. */
const codings: ReadonlyMap<string, ByteOrder | null> = new Map([
  ['pcm', null],
  ['lpcm', null],
  ['linear16', null],
  ['l16', null],
  ['s16', null],
  ['signed-int', null],
  ['signed-integer', null],
  ['s16le', 'little'],
  ['pcm_s16le', 'little'],
  ['s16be', 'big'],
  ['pcm_s16be', 'big'],
]);
const byteOrders: ReadonlyMap<string, ByteOrder> = new Map([
  ['little', 'little'],
  ['little-endian', 'little'],
  ['big', 'big'],
  ['big-endian', 'big'],
]);

const parsed = (contentType: string): MIMEType | null => {
  try {
    return new MIMEType(contentType);
  } catch {
    return null;
  }
};

/** Returns the first of these parameters that is present, in lower case. */
const parameterOf = ({ params }: MIMEType, ...names: readonly string[]): string | null =>
  names
    .map((name) => params.get(name))
    .find((value) => value !== null)
    ?.toLowerCase() ?? null;

const numberOf = (text: string | null, usual: number): number =>
  text === null ? usual : Number(text === '' ? NaN : text);

/** Returns the byte order by the parameters: `null` if they do not state it, undefined for another encoding. */
const orderOf = (type: MIMEType): ByteOrder | null | undefined => {
  const coding = parameterOf(type, 'encoding', 'codec', 'codecs', 'format');
  const order = parameterOf(type, 'endian', 'endianness', 'byte-order');
  const byCoding = coding === null ? null : codings.get(coding);
  return byCoding === null && order !== null ? byteOrders.get(order) : byCoding;
};

/** Returns the description. `contentType` is the value of the header, or empty. */
export const describedAudio = (contentType: string, usualRate: number): AudioDescription => {
  const type = parsed(contentType);
  if (type === null || undescribed.has(type.essence)) return { kind: 'undescribed' };
  if (wav.has(type.essence)) return { kind: 'wav' };
  const isNetworkOrder = networkOrder.has(type.essence);
  if (!isNetworkOrder && !littleEndian.has(type.essence)) return { kind: 'other' };
  const order = orderOf(type);
  const bits = numberOf(parameterOf(type, 'bits', 'bit', 'bitdepth', 'bits_per_sample'), 16);
  const format: AudioFormat = {
    sampleRate: numberOf(parameterOf(type, 'rate', 'sample_rate', 'samplerate', 'sample-rate'), usualRate),
    channels: numberOf(parameterOf(type, 'channels', 'channel'), 1),
    byteOrder: order ?? (isNetworkOrder ? 'big' : 'little'),
  };
  if (order === undefined || bits !== 16 || !isUsable(format)) return { kind: 'other' };
  return { kind: 'samples', format, isOrderSure: order !== null || !isNetworkOrder };
};
