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

export const bytesOf = (samples: Int16Array): Buffer => {
  const bytes = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2);
  return bytes;
};
