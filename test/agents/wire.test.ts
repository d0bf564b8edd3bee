/** Streams of agents: lines, server-sent events and JSON frames. */
import test from 'ava';
import * as fc from 'fast-check';
import { SimulatedClock } from 'xstate';
import { createMessageEnd, lingerMs } from '#src/agents/message-end.ts';
import { type Frame, readFrames, readLines } from '#src/agents/wire/read-frames.ts';
import { bodyOf, everyCut } from '#test/helpers/recorded-replies.ts';

// Read lines

const readLinesOf = async (pieces: readonly Uint8Array[], longestLine = 1_000): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of readLines(bodyOf(pieces), longestLine)) lines.push(line);
  return lines;
};

test.serial('reads four kinds of line ends, and a last line without a line end', async (t) => {
  t.deepEqual(await readLinesOf([Buffer.from('LF\nCRLF\r\nCR\rRS\x1e\r\n\n\rlast')]), [
    'LF',
    'CRLF',
    'CR',
    'RS',
    '',
    '',
    '',
    'last',
  ]);
});

test.serial('keeps Unicode line separators as text', async (t) => {
  const text = 'a\u2028b\u2029c\u0085d\ve\f';
  t.deepEqual(await readLinesOf([Buffer.from(text)]), [text]);
});

test.serial('reads the same lines for any chunking, even within a character or a CRLF', async (t) => {
  const text = '네, 1번째\r\n🙂\r\r\n\n안녕\u2028하세요';
  const expected = ['네, 1번째', '🙂', '', '', '안녕\u2028하세요'];
  for (const pieces of everyCut(Buffer.from(text))) t.deepEqual(await readLinesOf(pieces), expected);
});

test.serial('reads the same lines from any text in any chunks', async (t) => {
  const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\r', '\n', '\r\n', '\x1e', ''));
  await fc.assert(
    fc.asyncProperty(fc.array(piece), fc.array(fc.integer({ min: 1, max: 9 })), async (texts, sizes) => {
      const text = texts
        .join('')
        .toWellFormed()
        .replace(/^\uFEFF/, '');
      const bytes = Buffer.from(text);
      const pieces: Buffer[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = sizes[pieces.length % Math.max(1, sizes.length)] ?? bytes.length;
        pieces.push(bytes.subarray(at, at + size));
        at += size;
      }
      // oxlint-disable-next-line no-control-regex -- matches the record separator (RS)
      const expected = text.split(/\r\n?|\n|\u001e/);
      if (expected.at(-1) === '') expected.pop();
      t.deepEqual(await readLinesOf(pieces), expected);
    }),
  );
});

test.serial('returns a line when it is complete, before the next bytes arrive', async (t) => {
  let asked = 0;
  async function* body() {
    asked += 1;
    yield Buffer.from('one\r');
    asked += 1;
    yield Buffer.from('\ntwo\n');
  }
  const lines = readLines(body(), 100);
  t.is((await lines.next()).value, 'one');
  t.is(asked, 1);
  t.is((await lines.next()).value, 'two');
});

test.serial('removes one byte order mark and replaces invalid UTF-8', async (t) => {
  t.deepEqual(
    await readLinesOf([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61]), Buffer.from([0xff, 0x62])]),
    ['a\uFFFDb'],
  );
});

test.serial('limits the length of a line for any chunking', async (t) => {
  const byOnes = (count: number) => Array.from({ length: count }, () => Buffer.from('x'));
  t.deepEqual(await readLinesOf(byOnes(1_000)), ['x'.repeat(1_000)]);
  t.like(await t.throwsAsync(readLinesOf(byOnes(1_001))), { failure: 'reply_too_large' });
  t.like(await t.throwsAsync(readLinesOf([Buffer.from(`${'x'.repeat(1_001)}\n`)])), {
    failure: 'reply_too_large',
  });
  t.is((await readLinesOf([Buffer.from(`${'x'.repeat(999)}\n`.repeat(5))])).length, 5);
});

test.serial('closes the body when the reader stops early', async (t) => {
  let isReleased = false;
  async function* body() {
    try {
      for (;;) yield Buffer.from('x\n');
    } finally {
      isReleased = true;
    }
  }
  for await (const line of readLines(body(), 10)) if (line === 'x') break;
  t.true(isReleased);
});

// Read frames

const readFramesOf = async (pieces: readonly Uint8Array[], plainText = false): Promise<Frame[]> => {
  const frames: Frame[] = [];
  for await (const frame of readFrames(bodyOf(pieces), { longestLine: 10_000, plainText }))
    frames.push(frame);
  return frames;
};

const json = (value: unknown, event = ''): Frame => ({ type: 'json', event, value });

const reads = test.macro<[title: string, text: string, expected: Frame[], plainText?: boolean]>({
  async exec(t, _, text, expected, plainText = false) {
    for (const pieces of everyCut(Buffer.from(text)))
      t.deepEqual(await readFramesOf(pieces, plainText), expected);
  },
  title: (_, title) => `reads ${title}, in any chunking`,
});

// Event streams
test.serial(reads, 'a named event', 'event: x\ndata: {"a":"네"}\n\n', [json({ a: '네' }, 'x')]);
test.serial(reads, 'an event with its fields in any order', 'id: 7\ndata: 1\nretry: 5\nevent: x\n\n', [
  json(1, 'x'),
]);
test.serial(reads, 'an event name that applies to one event only', 'event: x\ndata: 1\n\ndata: 2\n\n', [
  json(1, 'x'),
  json(2),
]);
test.serial(reads, 'events with CRLF line ends', 'event: x\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n', [
  json(1, 'x'),
  json(2),
]);
test.serial(reads, 'events with CR line ends', 'event: x\rdata: 1\r\rdata: 2\r\r', [json(1, 'x'), json(2)]);
test.serial(reads, 'a field without a space after the colon', 'data:{"a":1}\n\n', [json({ a: 1 })]);
test.serial(reads, 'data over several lines', 'data: {"a":\ndata: 1}\n\n', [json({ a: 1 })]);
test.serial(reads, 'events without blank lines', 'data: {"a":1}\ndata: {"a":2}\nid: 3\ndata: [DONE]\n', [
  json({ a: 1 }),
  json({ a: 2 }),
  { type: 'done' },
]);
test.serial(reads, 'named events without blank lines', 'event: x\ndata: 1\nevent: y\ndata: 2\ndata: 3\n', [
  json(1, 'x'),
  json(2, 'y'),
  json(3),
]);
test.serial(reads, 'comments between events', ': heartbeat\n\n:\ndata: 1\n: PROCESSING\n\n', [json(1)]);
test.serial(reads, 'a byte order mark and blank lines at the start', '\uFEFF\n\r\n \ndata: 1\n\n', [json(1)]);
test.serial(reads, 'an event that ends with the stream', 'event: x\ndata: 1', [json(1, 'x')]);
test.serial(reads, 'events only up to the end mark', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', [
  json(1),
  { type: 'done' },
  json(2),
]);
test.serial(reads, 'data that is not JSON', 'event: x\ndata: {"a":\n\ndata: 2\n\n', [
  { type: 'unreadable', event: 'x' },
  json(2),
]);
test.serial(reads, 'an event name without data', 'event: x\n\ndata: 1\n\n', [json(1)]);
test.serial(reads, 'lines in other formats as stray lines', '0:"네, "\nerror: {"code":500}\nnonsense\n', [
  { type: 'stray', field: '0', text: '"네, "' },
  { type: 'stray', field: 'error', text: '{"code":500}' },
  { type: 'stray', field: 'nonsense', text: '' },
]);
test.serial(reads, 'U+2028 within JSON', 'data: "a\u2028b"\n\n', [json('a\u2028b')]);

// JSON
test.serial(reads, 'one JSON document', '{"a":1}', [json({ a: 1 })]);
test.serial(reads, 'one JSON document over several lines', '\n {\r\n "a": [1,\r\n 2]\r\n}\r\n', [
  json({ a: [1, 2] }),
]);
test.serial(reads, 'a JSON list', '[{"a":1}]\n', [json([{ a: 1 }])]);
test.serial(reads, 'JSON documents on separate lines', '{"a":1}\n{"a":2}\r\n\n{"a":\n{"a":3}', [
  json({ a: 1 }),
  json({ a: 2 }),
  { type: 'unreadable', event: '' },
  json({ a: 3 }),
]);
test.serial(reads, 'JSON documents between record separators', '\x1e{"a":1}\x1e{"a":2}\n', [
  json({ a: 1 }),
  json({ a: 2 }),
]);
test.serial(reads, 'an empty stream', '', []);
test.serial(reads, 'only blank lines', ' \r\n\n', []);

// Plain text
test.serial(reads, 'plain text', '안녕 \r\n하세요: 네', [{ type: 'text', text: '안녕 \n하세요: 네' }], true);
test.serial(
  reads,
  'plain text that begins like JSON, as text',
  '{이름} 님',
  [{ type: 'text', text: '{이름} 님' }],
  true,
);
test.serial(reads, 'quoted text as JSON', '"안녕\\n하세요"', [json('안녕\n하세요')], true);
test.serial(
  reads,
  'text that only begins with a quote, as text',
  '"안녕" 하세요',
  [{ type: 'text', text: '"안녕" 하세요' }],
  true,
);
test.serial(
  reads,
  'JSON where plain text is permitted, as JSON',
  '{"output":"네"}',
  [json({ output: '네' })],
  true,
);

test.serial('fails with invalid_reply on a web page or incomplete JSON', async (t) => {
  for (const text of ['<!DOCTYPE html><p>data: 1', ' \n<html>']) {
    for (const plainText of [true, false]) {
      t.like(await t.throwsAsync(readFramesOf([Buffer.from(text)], plainText)), { failure: 'invalid_reply' });
    }
  }
  const error = await t.throwsAsync(readFramesOf([Buffer.from('{"output": "비밀')]));
  t.like(error, { failure: 'invalid_reply' });
  t.notRegex(error?.message ?? '', /비밀/);
});

test.serial('returns plain text that begins with a tag, where plain text is permitted', async (t) => {
  const text = '<b>하나</b>\n둘';
  t.deepEqual(await readFramesOf([Buffer.from(text)], true), [{ type: 'text', text }]);
  t.like(await t.throwsAsync(readFramesOf([Buffer.from(text)])), { failure: 'invalid_reply' });
});

test.serial('limits a document over several lines like a single line', async (t) => {
  const wide = (characters: number) => Buffer.from(`[\n"${'x'.repeat(characters)}"\n]`);
  t.is((await readFramesOf([wide(9_000)])).length, 1);
  t.like(await t.throwsAsync(readFramesOf([wide(9_990), wide(9_990)])), { failure: 'reply_too_large' });
});

test.serial('returns frames as soon as they are complete', async (t) => {
  let sent = 0;
  async function* body() {
    for (const text of ['{"a":1}\n', '{"a":2}\n']) {
      sent += 1;
      yield Buffer.from(text);
    }
  }
  const frames = readFrames(body(), { longestLine: 100 });
  t.deepEqual((await frames.next()).value, json({ a: 1 }));
  t.is(sent, 1);
});

test.serial('returns the frames of an interrupted body before it throws', async (t) => {
  const frames: Frame[] = [];
  await t.throwsAsync(
    async () => {
      const body = bodyOf([Buffer.from('data: 1\n\ndata: 2\n')], { reset: true });
      for await (const frame of readFrames(body, { longestLine: 100 })) frames.push(frame);
    },
    { message: 'the connection broke' },
  );
  t.deepEqual(frames, [json(1)]);
});

test.serial('reads the same frames for any line ends, comments, unknown fields and chunking', async (t) => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const noise = fc.constantFrom('', ': comment', 'id: 1', 'retry: 10', ':');
  const events = fc.array(
    fc.record({
      name: fc.constantFrom('', 'x', 'messages|sub:1'),
      value: fc.jsonValue(),
      noise,
      space: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(events, lineEnd, fc.integer({ min: 1, max: 40 }), async (all, end, size) => {
      const lines = all.flatMap(({ name, value, noise: other, space }) => [
        ...(other === '' ? [] : [other]),
        ...(name === '' ? [] : [`event:${space ? ' ' : ''}${name}`]),
        `data:${space ? ' ' : ''}${JSON.stringify(value)}`,
        '',
      ]);
      const bytes = Buffer.from(lines.map((line) => line + end).join(''));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const expected = all.map(({ name, value }) => json(JSON.parse(JSON.stringify(value)), name));
      t.deepEqual(await readFramesOf(pieces), expected);
    }),
  );
});

// Message end

test.serial('closes the connection after the end of a message although comments keep arriving', async (t) => {
  const clock = new SimulatedClock();
  const end = createMessageEnd(clock, new AbortController().signal);
  async function* comments() {
    for (;;) {
      yield Buffer.from(': ping\n\n');
      clock.increment(lingerMs / 3);
      end.signal.throwIfAborted();
    }
  }
  let count = 0;
  end.over();
  for await (const _ of end.until(comments())) count += 1;
  t.is(count, 3);
});

test.serial("waits for an unfinished message and rethrows the reader's abort reason", async (t) => {
  const clock = new SimulatedClock();
  const reader = new AbortController();
  const end = createMessageEnd(clock, reader.signal);
  async function* words() {
    yield Buffer.from('a');
    clock.increment(10 * lingerMs);
    end.signal.throwIfAborted();
    yield Buffer.from('b');
    reader.abort(new Error('nobody wants it'));
    end.signal.throwIfAborted();
  }
  const read: string[] = [];
  const reading = async () => {
    for await (const bytes of end.until(words())) read.push(Buffer.from(bytes).toString());
  };
  await t.throwsAsync(reading, { message: 'nobody wants it' });
  t.deepEqual(read, ['a', 'b']);
});
