/** Reads WAV files (RIFF) with 16-bit linear audio. */
import type { Audio } from '#sip/audio/speech.ts';
import { createSampleReader } from './sample-reader.ts';
import { NotLinearPcm, type AudioFormat } from './audio-description.ts';

const pcm = 1;
/** Code of the extensible format, which stores the real format further on. */
const extensible = 0xff_fe;

/** Length from which a length is a placeholder, as programs write it that stream. */
const unknownLength = 0x7f_00_00_00;

/** Header of a file. `length` is the number of bytes of audio at `at`; Infinity if the file has a placeholder. */
export type WavHeader = { format: AudioFormat; at: number; length: number };

export const isWav = (head: Buffer): boolean =>
  head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE';

const formatIn = (bytes: Buffer, body: number, length: number): AudioFormat => {
  const stated = bytes.readUInt16LE(body);
  const coding = stated === extensible && length >= 40 ? bytes.readUInt16LE(body + 24) : stated;
  const [channels, bits] = [bytes.readUInt16LE(body + 2), bytes.readUInt16LE(body + 14)];
  if (coding !== pcm || channels === 0 || bits !== 16)
    throw new NotLinearPcm('This WAV file is not 16-bit linear');
  return { sampleRate: bytes.readUInt32LE(body + 4), channels, byteOrder: 'little' };
};

/** Parses the header. Returns `null` if it continues beyond these bytes. Throws NotLinearPcm. */
export const readWavHeader = (bytes: Buffer): WavHeader | null => {
  if (bytes.length < 12) return null;
  if (!isWav(bytes)) throw new NotLinearPcm('This is no WAV file');
  let format: AudioFormat | null = null;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (name === 'fmt ') {
      if (body + Math.max(16, Math.min(length, 40)) > bytes.length) return null;
      format = formatIn(bytes, body, length);
    }
    if (name === 'data') {
      if (format === null || format.sampleRate === 0) throw new NotLinearPcm('This WAV file has no audio');
      return { format, at: body, length: length === 0 || length >= unknownLength ? Infinity : length };
    }
    at = body + length + (length % 2);
  }
  return null;
};

/** Returns the audio of a whole file as one channel. Throws NotLinearPcm. */
export const readWav = (bytes: Buffer): Audio => {
  const header = readWavHeader(bytes);
  if (header === null)
    throw new NotLinearPcm(isWav(bytes) ? 'This WAV file has no audio' : 'This is no WAV file');
  const { format, at, length } = header;
  const read = createSampleReader(format);
  return { sampleRate: format.sampleRate, samples: read(bytes.subarray(at, at + length)) };
};
