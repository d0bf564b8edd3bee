/** G.711 μ-law, as telephones send it. */
const bias = 132;

export const toMuLaw = (samples: Int16Array): Uint8Array =>
  Uint8Array.from(samples, (sample) => {
    const magnitude = Math.min(32_635, Math.abs(sample)) + bias;
    const exponent = 24 - Math.clz32(magnitude);
    const mantissa = (magnitude >> (exponent + 3)) & 15;
    return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
  });

export const fromMuLaw = (bytes: Uint8Array): Int16Array =>
  Int16Array.from(bytes, (byte) => {
    const code = ~byte & 0xff;
    const magnitude = ((((code & 15) << 3) + bias) << ((code >> 4) & 7)) - bias;
    return (code & 0x80) === 0 ? magnitude : -magnitude;
  });
