/** Messages of drachtio-server's control protocol, `<bytes>#<message>`, however the network cuts them. */

/** Where one message ends and the next begins is not known any more. */
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

const mark = '#'.charCodeAt(0);
const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];
const mostDigits = 7;

/**
 * Takes bytes as they come, and gives each message when it is whole. Throws a BrokenFrame at what is no length, or at a
 * message that is longer than so many bytes.
 */
export const createFrameReader = (longest: number, onMessage: (message: Buffer) => void) => {
  let digits = '';
  let parts: Buffer[] = [];
  /** Bytes of the message that are still to come; 0 while its length is read. */
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
