import type { Audio } from '#sip/speech.ts';

const pcm = 1;

/**
 * Mono 16-bit linear audio out of a WAV file (RIFF). The lengths in the header are not trusted: a program that writes
 * to a pipe does not know them when it begins. Throws an Error for anything else.
 */
export const readWav = (bytes: Buffer): Audio => {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('This is no WAV file');
  }
  let sampleRate: number | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const body = at + 8;
    if (name === 'fmt ' && body + 16 <= bytes.length) {
      const [format, channels, bits] = [
        bytes.readUInt16LE(body),
        bytes.readUInt16LE(body + 2),
        bytes.readUInt16LE(body + 14),
      ];
      if (format !== pcm || channels !== 1 || bits !== 16)
        throw new Error('This WAV file is not mono 16-bit linear');
      sampleRate = bytes.readUInt32LE(body + 4);
    }
    if (name === 'data') {
      if (sampleRate === undefined || sampleRate === 0) break;
      const end = Math.min(body + length, bytes.length);
      const samples = new Int16Array((end - body) >> 1);
      for (let index = 0; index < samples.length; index += 1)
        samples[index] = bytes.readInt16LE(body + index * 2);
      return { sampleRate, samples };
    }
    at = body + length + (length % 2);
  }
  throw new Error('This WAV file has no audio');
};
