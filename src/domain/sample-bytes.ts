/** Mono 16-bit linear sound, whole and as the bytes (little-endian) that most engines take and give. */

export const joinSamples = (pieces: readonly Int16Array[]): Int16Array => {
  const result = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
};

/** Whether numbers lie in memory as engines take them; on nearly every machine they do. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** In the memory of the samples, where they lie there so. */
export const bytesIn = (samples: Int16Array): Buffer => {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return isLittleEndian ? bytes : Buffer.from(bytes).swap16();
};

/** A copy. */
export const bytesOf = (samples: Int16Array): Buffer => Buffer.from(bytesIn(samples));
