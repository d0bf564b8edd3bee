import test from 'ava';
import * as fc from 'fast-check';
import { AgentFailure } from '#src/agents/agent.ts';
import { readN8nReply } from '#src/agents/n8n/read-reply.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

const hear = (pieces: readonly Uint8Array[]): Promise<HeardReply> =>
  hearReply(readN8nReply(bodyOf(pieces), 1_000_000));

const begin = { type: 'begin', metadata: { nodeName: 'AI Agent' } };
const end = { type: 'end', metadata: { nodeName: 'AI Agent' } };
const item = (content: unknown) => ({ type: 'item', content, metadata: { text: '아님', output: '아님' } });

const cutEvery = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};
const size = fc.integer({ min: 1, max: 60 });
const words = fc.string({ unit: fc.constantFrom('네', 'a', '\n', '\u2028', '[', '"', '😀', '\ud83d', ' ') });

test('line ends, blank lines, unknown lines and fields, and cuts change nothing of what is said', async (t) => {
  const noise = fc.constantFrom(begin, end, { type: 'tool', content: '아님' }, { output: '아님' }, null, 7);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(words, noise)),
      fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\n \n'),
      fc.dictionary(fc.constantFrom('a', 'text', 'output', 'message'), fc.jsonValue()),
      size,
      async (all, lineEnd, fields, pieceSize) => {
        const values = all.map((part) => (typeof part === 'string' ? { ...fields, ...item(part) } : part));
        const body = [begin, ...values, item('.')].map((value) => JSON.stringify(value) + lineEnd).join('');
        const { text, error } = await hear(cutEvery(body, pieceSize));
        t.is(error, undefined);
        t.is(text, `${all.filter((part) => typeof part === 'string').join('')}.`);
      },
    ),
  );
});

test('only texts at the places of a reply are spoken', async (t) => {
  const data = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"type"'));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('a', 'reply', 'content'), data),
      size,
      async (value, pieceSize) => {
        t.is((await hear(cutEvery(JSON.stringify(value), pieceSize))).text, '');
        const { text } = await hear(
          cutEvery(JSON.stringify([value, { ...value, message: '네' }]), pieceSize),
        );
        t.is(text, '네');
      },
    ),
  );
});

test('whatever comes, a reply ends, or fails as an agent fails', async (t) => {
  const line = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({ type: fc.constantFrom('begin', 'item', 'end', 'error', 'x'), content: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
  );
  const bytes = fc.oneof(
    fc.array(line).map((all) => Buffer.from(all.join('\n'))),
    fc.uint8Array().map((array) => Buffer.from(array)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const { error, text, remarks } = await hear([body]);
      t.true(error === undefined || error instanceof AgentFailure, String(error));
      t.true(error !== undefined || text.trim() !== '' || remarks.length > 0, 'silent without a reason');
    }),
  );
});
