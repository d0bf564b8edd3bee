import { AgentFailure } from '../agent.ts';

/**
 * Lines end with LF, CRLF or CR; RS separates records in JSON text sequences (RFC 7464). Never with the line ends that
 * Unicode knows besides: U+2028 stands unescaped inside of JSON.
 */
// oxlint-disable-next-line no-control-regex -- RS is what is meant
const lineEnd = /\r\n?|\n|\x1e/;

/**
 * Bytes, cut anywhere, as whole lines of text without their ends; the last one needs no end. UTF-8 is decoded as it
 * comes, one byte order mark at the start is dropped, and what is no UTF-8 becomes U+FFFD. A line that is complete is
 * given out at once, also when it ends with a CR whose LF may still follow.
 *
 * Throws an AgentFailure `reply_too_large` for a line of more than `longestLine` characters.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8');
  /** The beginning of a line, in the pieces in which it came: joining them each time would take quadratic time. */
  let begun: string[] = [];
  let length = 0;
  let endedWithCr = false;

  const keep = (piece: string): void => {
    length += piece.length;
    if (length > longestLine) {
      throw new AgentFailure('reply_too_large', `a line of more than ${longestLine} characters`);
    }
    if (piece !== '') begun.push(piece);
  };
  const takeLine = (): string => {
    const line = begun.length === 1 ? (begun[0] ?? '') : begun.join('');
    begun = [];
    length = 0;
    return line;
  };
  function* linesOf(decoded: string): Generator<string, void, undefined> {
    if (decoded === '') return;
    // The second half of a CRLF that was cut in two.
    const text = endedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    endedWithCr = text === '' ? false : text.endsWith('\r');
    const parts = text.split(lineEnd);
    const last = parts.pop() ?? '';
    for (const part of parts) {
      keep(part);
      yield takeLine();
    }
    keep(last);
  }

  for await (const bytes of body) yield* linesOf(decoder.decode(bytes, { stream: true }));
  yield* linesOf(decoder.decode());
  if (length > 0) yield takeLine();
}
