/** Converts mono 16-bit linear audio to and from little-endian bytes. */

export const joinSamples = (pieces: readonly Int16Array[]): Int16Array => {
  const result = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
};

/** Whether this machine is little-endian, as nearly all machines are. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Returns the bytes of samples; they share the samples' memory where possible. */
export const bytesIn = (samples: Int16Array): Buffer => {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return isLittleEndian ? bytes : Buffer.from(bytes).swap16();
};

/** Returns a copy of the bytes of samples. */
export const bytesOf = (samples: Int16Array): Buffer => Buffer.from(bytesIn(samples));
