import { AgentFailure } from '../agent.ts';

/**
 * Lines end with LF, CRLF or CR; RS separates records in JSON text sequences (RFC 7464). Unicode's other line ends are
 * excluded: U+2028 occurs unescaped inside JSON.
 */
// oxlint-disable-next-line no-control-regex -- RS is what is meant
const lineEnd = /\r\n?|\n|\x1e/;

/**
 * Splits bytes, cut anywhere, into whole lines of text without their line ends; the last line needs none. Decodes UTF-8
 * incrementally, drops one byte order mark at the start, and replaces invalid UTF-8 by U+FFFD. Yields a complete line
 * at once, even if it ends with a CR whose LF may still follow.
 *
 * Throws an AgentFailure `reply_too_large` for a line of more than `longestLine` characters.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8');
  /** The beginning of a line, in its original pieces: joining them each time would take quadratic time. */
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
    // The second half of a split CRLF.
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
