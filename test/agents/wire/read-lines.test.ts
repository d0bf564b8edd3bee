import test from 'ava';
import * as fc from 'fast-check';
import { readLines } from '#src/agents/wire/read-lines.ts';
import { bodyOf, everyCut } from '#test/helpers/recorded-replies.ts';

const read = async (pieces: readonly Uint8Array[], longestLine = 1_000): Promise<string[]> => {
  const lines: string[] = [];
  for await (const line of readLines(bodyOf(pieces), longestLine)) lines.push(line);
  return lines;
};

test('lines end in four ways, and the last one needs no end', async (t) => {
  t.deepEqual(await read([Buffer.from('LF\nCRLF\r\nCR\rRS\x1e\r\n\n\rlast')]), [
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

test('the line ends of Unicode are text', async (t) => {
  const text = 'a\u2028b\u2029c\u0085d\ve\f';
  t.deepEqual(await read([Buffer.from(text)]), [text]);
});

test('where the bytes are cut makes no difference, not even within a character or a CRLF', async (t) => {
  const text = '네, 1번째\r\n🙂\r\r\n\n안녕\u2028하세요';
  const expected = ['네, 1번째', '🙂', '', '', '안녕\u2028하세요'];
  for (const pieces of everyCut(Buffer.from(text))) t.deepEqual(await read(pieces), expected);
});

test('any text in any pieces comes out as if it were split at once', async (t) => {
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
      // oxlint-disable-next-line no-control-regex -- RS is what is meant
      const expected = text.split(/\r\n?|\n|\u001e/);
      if (expected.at(-1) === '') expected.pop();
      t.deepEqual(await read(pieces), expected);
    }),
  );
});

test('a line is given out when it is complete, before the next bytes come', async (t) => {
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

test('one byte order mark is dropped, what is no UTF-8 is marked', async (t) => {
  t.deepEqual(await read([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61]), Buffer.from([0xff, 0x62])]), [
    'a\uFFFDb',
  ]);
});

test('a line may be long, but not too long, in however many pieces', async (t) => {
  const byOnes = (count: number) => Array.from({ length: count }, () => Buffer.from('x'));
  t.deepEqual(await read(byOnes(1_000)), ['x'.repeat(1_000)]);
  t.like(await t.throwsAsync(read(byOnes(1_001))), { failure: 'reply_too_large' });
  t.like(await t.throwsAsync(read([Buffer.from(`${'x'.repeat(1_001)}\n`)])), { failure: 'reply_too_large' });
  t.is((await read([Buffer.from(`${'x'.repeat(999)}\n`.repeat(5))])).length, 5);
});

test('leaving early lets go of the body', async (t) => {
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
