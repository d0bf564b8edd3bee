/** Voice codecs of telephony (ITU-T G.711), with 8,000 samples a second and one byte per sample. */

export type G711Name = 'PCMU' | 'PCMA';

export type G711 = {
  /** Encodes 16-bit samples into `bytes`, from `at` on; `step` of 2 leaves every other byte to another channel. */
  encode(samples: Int16Array, bytes: Uint8Array, at: number, step?: number): void;
  decode(bytes: Uint8Array): Int16Array;
};

const bias = 132;
const clip = 32_635;

/** Encodes a sample in μ-law (section 3.2): sixteen steps in each of eight segments, with all bits inverted. */
const muLawOf = (sample: number): number => {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(clip, Math.abs(sample)) + bias;
  const segment = 31 - Math.clz32(magnitude >> 7);
  return ~(sign | (segment << 4) | ((magnitude >> (segment + 3)) & 0x0f)) & 0xff;
};

const linearOfMuLaw = (byte: number): number => {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + bias) << ((code >> 4) & 7)) - bias;
  return (code & 0x80) === 0 ? magnitude : -magnitude;
};

/**
 * Encodes a sample in A-law (section 3.1): the same segments over 13 bits, with every other bit inverted, and the sign
 * bit set for positive values.
 */
const aLawOf = (sample: number): number => {
  const sign = sample < 0 ? 0 : 0x80;
  const magnitude = Math.min(clip, sample < 0 ? ~sample : sample) >> 3;
  const segment = magnitude < 32 ? 0 : 27 - Math.clz32(magnitude);
  const step = (segment < 2 ? magnitude >> 1 : magnitude >> segment) & 0x0f;
  return (sign | (segment << 4) | step) ^ 0x55;
};

const linearOfALaw = (byte: number): number => {
  const code = byte ^ 0x55;
  const segment = (code >> 4) & 7;
  const step = ((code & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (code & 0x80) === 0 ? -magnitude : magnitude;
};

const codec = (codeOf: (sample: number) => number, linearOf: (byte: number) => number): G711 => {
  // Plain loops: `from` with a length looks every index up in an object, which takes ten times as long at each start.
  const codes = new Uint8Array(65_536);
  for (let sample = -32_768; sample < 32_768; sample += 1) codes[sample & 0xffff] = codeOf(sample);
  const samples = new Int16Array(256);
  for (let byte = 0; byte < 256; byte += 1) samples[byte] = linearOf(byte);
  return {
    encode(audio, bytes, at, step = 1) {
      for (let index = 0; index < audio.length; index += 1)
        bytes[at + index * step] = codes[(audio[index] ?? 0) & 0xffff] ?? 0;
    },
    decode(bytes) {
      const audio = new Int16Array(bytes.length);
      for (let index = 0; index < bytes.length; index += 1) audio[index] = samples[bytes[index] ?? 0] ?? 0;
      return audio;
    },
  };
};

export const pcmu = codec(muLawOf, linearOfMuLaw);
export const pcma = codec(aLawOf, linearOfALaw);
