import test from 'ava';
import { readEvents } from '#src/console/api/event-stream.ts';

const stream = `retry: 2000

id: 1
event: fact
data: {"text":"안녕하세요"}

: still here

event: state
data: {"call":"active.conversing","conversation":null}

event: end
data: {}

`;

const eventsIn = async (chunks: readonly Uint8Array[]) => {
  const events = [];
  for await (const event of readEvents(ReadableStream.from<Uint8Array>(chunks))) events.push(event);
  return events;
};

test('a stream is read the same wherever it is cut', async (t) => {
  const bytes = new TextEncoder().encode(stream);
  const expected = [
    { event: 'fact', data: '{"text":"안녕하세요"}' },
    { event: 'state', data: '{"call":"active.conversing","conversation":null}' },
    { event: 'end', data: '{}' },
  ];
  t.deepEqual(await eventsIn([...bytes].map((byte) => Uint8Array.of(byte))), expected);
  for (let cut = 0; cut <= bytes.length; cut++)
    t.deepEqual(await eventsIn([bytes.subarray(0, cut), bytes.subarray(cut)]), expected);
});

test('what a broken stream has not finished is left out', async (t) => {
  t.deepEqual(
    await eventsIn([new TextEncoder().encode('event: fact\ndata: {"a":1}\n\nevent: fact\ndata: {"b"')]),
    [{ event: 'fact', data: '{"a":1}' }],
  );
});
