/** Sound on its way to FreeSWITCH: mono 16-bit linear at 8000 Hz. */
export const samplesPerMs = 8;

export const silence = (milliseconds: number): Int16Array => new Int16Array(milliseconds * samplesPerMs);

export const joined = (pieces: readonly Int16Array[]): Int16Array => {
  const result = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
};
