import test from 'ava';
import * as fc from 'fast-check';
import { everyCut, recordedReplies } from '#test/helpers/recorded-replies.ts';
import { event, metadata } from './graph-server.ts';
import { hearRun } from './hear-run.ts';

const start = metadata('run-1');
const ai = (content: string) => ({ content, id: 'a', type: 'ai', tool_calls: [] });

const isRun = ({ request, response }: ReturnType<typeof recordedReplies>[number]): boolean =>
  response.status === 200 && request?.path !== '/threads';
const runs = recordedReplies('langgraph').filter(isRun);

/** All the cuts in two take time in the square of the length; single bytes cut a long body everywhere at once. */
const cutsOf = (bytes: Buffer): Iterable<Buffer[]> =>
  bytes.length <= 4_096
    ? everyCut(bytes)
    : [[bytes], Array.from(bytes, (_, place) => bytes.subarray(place, place + 1))];

for (const { name, bytes, expect } of runs) {
  test(`${name} speaks what is expected, however it is cut`, async (t) => {
    const whole = await hearRun([bytes]);
    if (expect.spoken !== undefined) t.is(whole.text, expect.spoken);
    if (expect.failure !== undefined) {
      t.like(whole.error, { failure: 'agent_reported_error', serverSays: expect.failure });
    } else if (expect.spoken === '') t.like(whole.error, { failure: 'no_reply' });
    else t.is(whole.error, undefined);
    if (expect.interrupt === true) t.regex(String(whole.error), /interrupt/);
    for (const pieces of cutsOf(bytes)) {
      const { text, sentences, remarks, error } = await hearRun(pieces);
      if (text !== whole.text || (error === undefined) !== (whole.error === undefined)) {
        t.fail(`cut into ${pieces.map(({ length }) => length).join('+')}: ${text}`);
      }
      t.deepEqual([sentences, remarks], [whole.sentences, whole.remarks]);
    }
  });
}

const noise = fc.constantFrom(
  ': heartbeat\n\n',
  ':\n',
  'id: 7\nretry: 10\n\n',
  'event: custom\ndata: {"content":"아니요","type":"ai"}\n\n',
  'event: messages/metadata\ndata: {"a":{"metadata":{}}}\n\n',
  'event: values\ndata: {"messages":[{"content":"아니요","type":"ai","id":"z"}]}\n\n',
  'event: messages/tool\ndata: [{"content":"아니요","type":"ai","id":"z"}]\n\n',
  'event: messages/complete\ndata: [{"content":"아니요","type":"tool","id":"z"}]\n\n',
  'color: blue\n\n',
  '\n',
);

test('line ends, cuts, comments and what is unknown make no difference', async (t) => {
  const reply = fc.record({
    words: fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 6,
    }),
    noise: fc.array(noise, { minLength: 8, maxLength: 8 }),
    mode: fc.constantFrom('partial', 'tuple', 'complete'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    size: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(reply, async ({ words, noise: between, mode, lineEnd, size }) => {
      const whole = words.join('');
      const events =
        mode === 'complete'
          ? [event('messages/complete', [{ content: '네?', id: 'h', type: 'human' }, ai(whole)])]
          : words.map((word, index) =>
              mode === 'tuple'
                ? event('messages', [{ ...ai(word), type: 'AIMessageChunk' }, { langgraph_node: 'say' }])
                : event('messages/partial', [ai(words.slice(0, index + 1).join(''))]),
            );
      const stream = [start, ...events].flatMap((text, index) => [between[index] ?? '', text]).join('');
      const bytes = Buffer.from(stream.replaceAll('\n', lineEnd));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const { text, error } = await hearRun(pieces);
      return text === whole && error === undefined;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
