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

/** A copy. */
export const bytesOf = (samples: Int16Array): Buffer => {
  const { buffer, byteOffset, byteLength } = samples;
  const bytes = Buffer.from(new Uint8Array(buffer, byteOffset, byteLength));
  return isLittleEndian ? bytes : bytes.swap16();
};
