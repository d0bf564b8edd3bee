import test from 'ava';
import * as fc from 'fast-check';
import { AgentFailure } from '#src/agents/agent.ts';
import { readMastraReply } from '#src/agents/mastra/read-reply.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';

const hear = (pieces: readonly Uint8Array[]): Promise<HeardReply> =>
  hearReply(readMastraReply(bodyOf(pieces), 1_000_000));

const delta = (text: string) => ({ type: 'text-delta', runId: 'r', payload: { id: 'txt-1', text } });
const finish = { type: 'finish', runId: 'r', payload: { stepResult: { reason: 'stop' } } };
const done = 'data: [DONE]\n\n';

const cutEvery = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

// Halves of characters, too: they are written as escapes within JSON.
const someText = fc.string({
  unit: fc.constantFrom('네', 'a', '\n', '\u2028', '\0', '"', '😀', '\ud83d', ' '),
});
const noiseType = fc.constantFrom('start', 'tool-output', 'reasoning-delta', 'tool-call', 'text-end', 'new');
const noise = fc.record({ type: noiseType, runId: fc.string(), payload: fc.jsonValue() });
const parts = fc.array(fc.oneof(someText, noise), { maxLength: 12 });
const size = fc.integer({ min: 1, max: 60 });

test('line ends, comments, unknown events and fields, and cuts change nothing of what is said', async (t) => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const extra = fc.constantFrom('', ': comment\n', 'id: 7\n', 'event: x\n', 'retry: 1\n', 'zz: 1\n', ':\n\n');
  await fc.assert(
    fc.asyncProperty(parts, lineEnd, extra, fc.boolean(), size, async (all, end, other, space, pieceSize) => {
      const body = [...all, finish]
        .map((part) => JSON.stringify(typeof part === 'string' ? delta(part) : part))
        .map((json) => `${other}data:${space ? ' ' : ''}${json}\n\n`)
        .join('');
      const { text, error } = await hear(cutEvery((body + done).replaceAll('\n', end), pieceSize));
      t.is(error, undefined);
      t.is(text, all.filter((part) => typeof part === 'string').join(''));
    }),
  );
});

test('chunks between record separators, or on lines, say the same as events', async (t) => {
  const separator = fc.constantFrom('\x1e', '\x1e\n', '\n', '\r\n');
  await fc.assert(
    fc.asyncProperty(parts, separator, fc.boolean(), size, async (all, between, leading, pieceSize) => {
      const chunks = [...all.map((part) => (typeof part === 'string' ? delta(part) : part)), finish];
      const body = chunks.map((value) => JSON.stringify(value) + between).join('');
      const { text, error } = await hear(cutEvery((leading ? between : '') + body, pieceSize));
      t.is(error, undefined);
      t.is(text, all.filter((part) => typeof part === 'string').join(''));
    }),
  );
});

test('lines of the older data stream say their text', async (t) => {
  const line = fc.constantFrom('g:"생각"', '2:[{"a":1}]', '9:{"text":"x"}', 'e:{}', 'f:{}', '8:[]');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someText, line)), size, async (all, pieceSize) => {
      const lines = all.flatMap(([text, other]) => [`0:${JSON.stringify(text)}`, other]);
      const body = ['f:{"messageId":"1"}', ...lines, 'd:{"finishReason":"stop"}', ''].join('\n');
      const { text, error } = await hear(cutEvery(body, pieceSize));
      t.is(error, undefined);
      t.is(text, all.map(([said]) => said).join(''));
    }),
  );
});

test('whatever comes, a reply ends, or fails as an agent fails', async (t) => {
  const line = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}\n\n`),
    fc
      .record({ type: fc.constantFrom('text-delta', 'finish', 'error', 'tripwire'), payload: fc.jsonValue() })
      .map((value) => `data: ${JSON.stringify(value)}\n\n`),
    fc.tuple(fc.constantFrom('0', '3', 'd', 'e'), fc.string()).map((pair) => pair.join(':')),
  );
  const bytes = fc.oneof(
    fc.array(line).map((lines) => Buffer.from(lines.join('\n'))),
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
