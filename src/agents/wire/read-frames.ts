/**
 * Reads all streamed replies, whatever their content type: server-sent events (WHATWG HTML, section 9.2), JSON values
 * on separate lines, or one JSON document. Content types are often wrong, so the first character decides. The result
 * does not depend on how the bytes were cut.
 *
 * eventsource-parser (4.1.3) is not used, because it follows the standard, while many servers do not.
 * eventsource-parser reads all of 88 recorded event streams alike in one piece, but four differently byte by byte,
 * because it discards the beginning of a line that is not a field of the standard (llama.cpp's `error: …`, Mastra's
 * `0:"…"`). For a server that omits the blank lines eventsource-parser returns no events. eventsource-parser is some
 * five times as fast (36 MB/s against 7 in one run), but a long reply has only a hundred kilobytes.
 */
import { AgentFailure } from '../agent.ts';

/**
 * Matches line ends: LF, CRLF or CR, and RS, which separates records in JSON text sequences (RFC 7464). Unicode's other
 * line ends are excluded, because U+2028 occurs unescaped inside JSON.
 */
// oxlint-disable-next-line no-control-regex -- RS is what is meant
const lineEnd = /\r\n?|\n|\x1e/;

/**
 * Splits bytes, cut anywhere, into whole lines of text without their line ends; the last line may lack its line end.
 * Decodes UTF-8 incrementally, drops one byte order mark at the start, and replaces invalid UTF-8 by U+FFFD. A complete
 * line is yielded at once, even if it ends with a CR whose LF may still follow.
 *
 * Throws an AgentFailure `reply_too_large` for a line of more than `longestLine` characters.
 */
export async function* readLines(
  body: AsyncIterable<Uint8Array>,
  longestLine: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8');
  /** Beginning of a line in its original pieces, because joining them each time would take quadratic time. */
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
    // A line feed at the beginning is the second half of a split CRLF and is dropped.
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

export type Frame =
  /** Data of an event, or a separate JSON value. `event` is empty if the event has no name. */
  | { type: 'json'; event: string; value: unknown }
  /** The line `data: [DONE]`, with which some servers end a reply. */
  | { type: 'done' }
  /** Data other than JSON. */
  | { type: 'unreadable'; event: string }
  /** A line of an event stream with a field outside of the standard: `error: …`, `0:"…"`. */
  | { type: 'stray'; field: string; text: string }
  /** A whole reply that is neither JSON nor events. Only readers with `plainText` receive it. */
  | { type: 'text'; text: string };

export type FrameOptions = {
  /** Maximum number of characters in one line. */
  longestLine: number;
  /** Whether text other than JSON is the reply itself instead of an event stream. */
  plainText?: boolean;
};

type Lines = AsyncGenerator<string, void, undefined>;

type Parsed = { isJson: true; value: unknown } | { isJson: false };

const parse = (text: string): Parsed => {
  try {
    const value: unknown = JSON.parse(text);
    return { isJson: true, value };
  } catch {
    return { isJson: false };
  }
};

const asFrame = (text: string, event: string): Frame => {
  const parsed = parse(text);
  return parsed.isJson ? { type: 'json', event, value: parsed.value } : { type: 'unreadable', event };
};

async function* readEvents(first: string, rest: Lines): AsyncGenerator<Frame, void, undefined> {
  let event = '';
  let data: string[] = [];
  /** Result of `isWhole` for the data so far: a long line is parsed once, however many lines follow. */
  let whole: boolean | undefined;

  /**
   * Whether the data so far is a complete event: some servers omit the blank lines, so complete data counts as an
   * event.
   */
  const isWhole = (): boolean => {
    const [only = ''] = data;
    whole ??= data.length === 1 && (only.trim() === '[DONE]' || parse(only).isJson);
    return whole;
  };

  function* dispatch(): Generator<Frame, void, undefined> {
    const text = data.join('\n').trim();
    if (text === '[DONE]') yield { type: 'done' };
    else if (text !== '') yield asFrame(text, event);
    event = '';
    data = [];
    whole = undefined;
  }
  function* take(line: string): Generator<Frame, void, undefined> {
    if (line === '') yield* dispatch();
    const colon = line.indexOf(':');
    // The line is a comment, which some servers send as a keep-alive.
    if (line === '' || colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if ((field === 'data' || (field === 'event' && event !== '')) && isWhole()) yield* dispatch();
    if (field === 'data') {
      data.push(value);
      whole = undefined;
    } else if (field === 'event') event = value;
    else if (field !== 'id' && field !== 'retry') yield { type: 'stray', field, text: value };
  }

  yield* take(first);
  for await (const line of rest) yield* take(line);
  // The last event is emitted without a blank line: the standard would drop it, but clients do not, and some servers
  // end that way.
  yield* dispatch();
}

const restOf = async (first: string, rest: Lines, longest: number): Promise<string> => {
  const lines = [first];
  let length = first.length;
  for await (const line of rest) {
    length += line.length + 1;
    if (length > longest) throw new AgentFailure('reply_too_large', `more than ${longest} characters`);
    lines.push(line);
  }
  return lines.join('\n');
};

async function* readJson(
  first: string,
  rest: Lines,
  options: FrameOptions,
): AsyncGenerator<Frame, void, undefined> {
  const parsed = parse(first);
  if (parsed.isJson) {
    yield { type: 'json', event: '', value: parsed.value };
    for await (const line of rest) if (line.trim() !== '') yield asFrame(line, '');
    return;
  }
  // The first line belongs to one document over several lines.
  const text = await restOf(first, rest, options.longestLine);
  const whole = parse(text);
  if (whole.isJson) yield { type: 'json', event: '', value: whole.value };
  else if (options.plainText === true) yield { type: 'text', text };
  else throw new AgentFailure('invalid_reply', 'the response begins like JSON and is none');
}

const pageFailure = (): AgentFailure =>
  new AgentFailure('invalid_reply', 'the response is a page, not a reply');

/** Matches a tag of a whole page. Plain text may begin with other tags: of controls, reasoning or emphasis. */
const pageTag = /<(?:!doctype|html|head|body|\?xml)\b/iu;

const readText = async (first: string, rest: Lines, { longestLine }: FrameOptions): Promise<Frame> => {
  const text = await restOf(first, rest, longestLine);
  if (first.trimStart().startsWith('<') && pageTag.test(text)) throw pageFailure();
  const parsed = first.trimStart().startsWith('"') ? parse(text) : { isJson: false as const };
  return parsed.isJson ? { type: 'json', event: '', value: parsed.value } : { type: 'text', text };
};

/**
 * Reads the frames of a body. An empty body yields no frames. Throws an AgentFailure for a web page (`invalid_reply`),
 * which is any body that begins with a tag unless plain text is permitted, and for a line that is too long (`reply_too_large`).
 */
export async function* readFrames(
  body: AsyncIterable<Uint8Array>,
  options: FrameOptions,
): AsyncGenerator<Frame, void, undefined> {
  const lines = readLines(body, options.longestLine);
  for await (const line of lines) {
    const start = line.trimStart().at(0);
    if (start === undefined) continue;
    if (start === '<' && options.plainText !== true) throw pageFailure();
    if (start === '{' || start === '[') yield* readJson(line, lines, options);
    else if (options.plainText === true) yield await readText(line, lines, options);
    else yield* readEvents(line, lines);
  }
}
