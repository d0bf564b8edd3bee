/** Frames of drachtio-server's control protocol, `<bytes>#<message>`, over packets of any size. */

/** Thrown when the boundary between messages is lost. */
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

const mark = '#'.charCodeAt(0);
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];
const mostDigits = 7;

/**
 * Reads bytes and returns complete messages. Throws a BrokenFrame for an invalid length or a message beyond the limit.
 */
export const createFrameReader = (longest: number, onMessage: (message: Buffer) => void) => {
  let digits = '';
  let parts: Buffer[] = [];
  /** Missing bytes of the current message; 0 while its length is being read. */
  let missing = 0;

  const takeLength = (byte: number): void => {
    if (byte === mark) {
      missing = Number(digits);
      digits = '';
      if (missing === 0 || missing > longest) throw new BrokenFrame('A message has no length that is taken');
      return;
    }
    if (byte < zero || byte > nine || digits.length === mostDigits)
      throw new BrokenFrame('What comes is no message');
    digits += String.fromCharCode(byte);
  };

  return (data: Buffer): void => {
    let at = 0;
    while (at < data.length) {
      if (missing === 0) {
        takeLength(data[at] ?? 0);
        at += 1;
        continue;
      }
      const part = data.subarray(at, at + missing);
      at += part.length;
      missing -= part.length;
      parts.push(part);
      if (missing > 0) continue;
      const [only, ...others] = parts;
      const message = only !== undefined && others.length === 0 ? only : Buffer.concat(parts);
      parts = [];
      onMessage(message);
    }
  };
};

export const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${message.length}#`), message]);
