import type { Audio } from '#sip/speech.ts';

/** RIFF's number of the format that holds linear samples. */
const linear = 1;

/**
 * Reads a WAV file of mono 16-bit samples. The lengths in the file are not believed where they reach beyond its end:
 * an engine that writes into a pipe does not know them when it writes the header.
 * Throws when it is something else, or broken.
 */
export const readWave = (file: Buffer): Audio => {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error('not a WAV file');
  let sampleRate: number | undefined;
  for (let at = 12; at + 8 <= file.length;) {
    const name = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const content = file.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ') sampleRate = sampleRateOf(content);
    if (name === 'data' && sampleRate !== undefined) return { sampleRate, samples: samplesOf(content) };
    // Chunks begin at even positions.
    at += 8 + size + (size % 2);
  }
  throw new Error('a WAV file without sound');
};

const sampleRateOf = (format: Buffer): number => {
  if (format.length < 16) throw new Error('a WAV file with a broken header');
  const isMono16Bit =
    format.readUInt16LE(0) === linear && format.readUInt16LE(2) === 1 && format.readUInt16LE(14) === 16;
  if (!isMono16Bit) throw new Error('a WAV file that is not mono 16-bit sound');
  return format.readUInt32LE(4);
};

const samplesOf = (content: Buffer): Int16Array =>
  Int16Array.from({ length: Math.floor(content.length / 2) }, (_, index) => content.readInt16LE(index * 2));
