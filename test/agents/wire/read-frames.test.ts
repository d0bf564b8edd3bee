import test from 'ava';
import * as fc from 'fast-check';
import { readFrames, type Frame } from '#src/agents/wire/read-frames.ts';
import { bodyOf, everyCut } from '#test/helpers/recorded-replies.ts';

const read = async (pieces: readonly Uint8Array[], plainText = false): Promise<Frame[]> => {
  const frames: Frame[] = [];
  for await (const frame of readFrames(bodyOf(pieces), { longestLine: 10_000, plainText }))
    frames.push(frame);
  return frames;
};

const json = (value: unknown, event = ''): Frame => ({ type: 'json', event, value });

const reads = test.macro<[title: string, text: string, expected: Frame[], plainText?: boolean]>({
  async exec(t, _, text, expected, plainText = false) {
    for (const pieces of everyCut(Buffer.from(text))) t.deepEqual(await read(pieces, plainText), expected);
  },
  title: (_, title) => `${title}, however it is cut`,
});

// Event streams
test(reads, 'an event with a name', 'event: x\ndata: {"a":"네"}\n\n', [json({ a: '네' }, 'x')]);
test(reads, 'fields in any order', 'id: 7\ndata: 1\nretry: 5\nevent: x\n\n', [json(1, 'x')]);
test(reads, 'a name holds for one event', 'event: x\ndata: 1\n\ndata: 2\n\n', [json(1, 'x'), json(2)]);
test(reads, 'CRLF', 'event: x\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n', [json(1, 'x'), json(2)]);
test(reads, 'CR', 'event: x\rdata: 1\r\rdata: 2\r\r', [json(1, 'x'), json(2)]);
test(reads, 'no space behind the colon', 'data:{"a":1}\n\n', [json({ a: 1 })]);
test(reads, 'data over several lines', 'data: {"a":\ndata: 1}\n\n', [json({ a: 1 })]);
test(reads, 'events without blank lines', 'data: {"a":1}\ndata: {"a":2}\nid: 3\ndata: [DONE]\n', [
  json({ a: 1 }),
  json({ a: 2 }),
  { type: 'done' },
]);
test(reads, 'named events without blank lines', 'event: x\ndata: 1\nevent: y\ndata: 2\ndata: 3\n', [
  json(1, 'x'),
  json(2, 'y'),
  json(3),
]);
test(reads, 'comments', ': heartbeat\n\n:\ndata: 1\n: PROCESSING\n\n', [json(1)]);
test(reads, 'a byte order mark and blank lines before it', '\uFEFF\n\r\n \ndata: 1\n\n', [json(1)]);
test(reads, 'an event that the end of the stream ends', 'event: x\ndata: 1', [json(1, 'x')]);
test(reads, 'the mark of the end', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', [
  json(1),
  { type: 'done' },
  json(2),
]);
test(reads, 'data that is no JSON', 'event: x\ndata: {"a":\n\ndata: 2\n\n', [
  { type: 'unreadable', event: 'x' },
  json(2),
]);
test(reads, 'a name without data', 'event: x\n\ndata: 1\n\n', [json(1)]);
test(reads, 'lines of other formats', '0:"네, "\nerror: {"code":500}\nnonsense\n', [
  { type: 'stray', field: '0', text: '"네, "' },
  { type: 'stray', field: 'error', text: '{"code":500}' },
  { type: 'stray', field: 'nonsense', text: '' },
]);
test(reads, 'U+2028 within JSON', 'data: "a\u2028b"\n\n', [json('a\u2028b')]);

// JSON
test(reads, 'one document', '{"a":1}', [json({ a: 1 })]);
test(reads, 'one document over several lines', '\n {\r\n "a": [1,\r\n 2]\r\n}\r\n', [json({ a: [1, 2] })]);
test(reads, 'a list', '[{"a":1}]\n', [json([{ a: 1 }])]);
test(reads, 'JSON on lines of their own', '{"a":1}\n{"a":2}\r\n\n{"a":\n{"a":3}', [
  json({ a: 1 }),
  json({ a: 2 }),
  { type: 'unreadable', event: '' },
  json({ a: 3 }),
]);
test(reads, 'JSON between record separators', '\x1e{"a":1}\x1e{"a":2}\n', [json({ a: 1 }), json({ a: 2 })]);
test(reads, 'nothing', '', []);
test(reads, 'blank lines alone', ' \r\n\n', []);

// Plain text
test(reads, 'plain text', '안녕 \r\n하세요: 네', [{ type: 'text', text: '안녕 \n하세요: 네' }], true);
test(reads, 'plain text that begins like JSON', '{이름} 님', [{ type: 'text', text: '{이름} 님' }], true);
test(reads, 'a text in quotes is JSON', '"안녕\\n하세요"', [json('안녕\n하세요')], true);
test(
  reads,
  'a text that only begins with a quote',
  '"안녕" 하세요',
  [{ type: 'text', text: '"안녕" 하세요' }],
  true,
);
test(reads, 'JSON where plain text would do', '{"output":"네"}', [json({ output: '네' })], true);

test('a page is no reply, and what begins like JSON and is none neither', async (t) => {
  for (const text of ['<!DOCTYPE html><p>data: 1', ' \n<html>']) {
    for (const plainText of [true, false]) {
      t.like(await t.throwsAsync(read([Buffer.from(text)], plainText)), { failure: 'invalid_reply' });
    }
  }
  const error = await t.throwsAsync(read([Buffer.from('{"output": "비밀')]));
  t.like(error, { failure: 'invalid_reply' });
  t.notRegex(error?.message ?? '', /비밀/);
});

test('a document over several lines has the limit of one line', async (t) => {
  const wide = (characters: number) => Buffer.from(`[\n"${'x'.repeat(characters)}"\n]`);
  t.is((await read([wide(9_000)])).length, 1);
  t.like(await t.throwsAsync(read([wide(9_990), wide(9_990)])), { failure: 'reply_too_large' });
});

test('frames come as soon as they are complete', async (t) => {
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

test('a body that breaks off gives what came before it', async (t) => {
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

test('line ends, comments, unknown fields and cuts change nothing of what is read', async (t) => {
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
      t.deepEqual(await read(pieces), expected);
    }),
  );
});
