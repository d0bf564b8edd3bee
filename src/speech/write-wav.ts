import type { Audio } from '#sip/audio/speech.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';

const headerBytes = 44;
const pcm = 1;

/** Encodes mono 16-bit linear audio as a WAV file (RIFF). */
export const writeWav = ({ sampleRate, samples }: Audio): Buffer => {
  const header = Buffer.alloc(headerBytes);
  const bytes = bytesOf(samples);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(headerBytes - 8 + bytes.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(pcm, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes.length, 40);
  return Buffer.concat([header, bytes]);
};
