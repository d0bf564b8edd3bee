import test from 'ava';
import * as fc from 'fast-check';
import { serverSentEvents, type ServerSentEvent } from '#src/client/server-sent-events.ts';

/** The events of a body that arrives in these pieces. */
const eventsIn = async (pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> => {
  const waiting = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = waiting.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  const events: ServerSentEvent[] = [];
  for await (const event of serverSentEvents(body)) events.push(event);
  return events;
};

const lines = [
  'retry: 2000',
  '',
  ': a comment',
  'id: 7',
  'event: fact',
  'data: {"text":',
  'data:"네"}',
  '',
  'data',
  '',
  'id: 8',
  '',
];
const expected: ServerSentEvent[] = [
  { event: 'fact', id: '7', data: '{"text":\n"네"}' },
  { event: 'message', id: undefined, data: '' },
];

test('events are the same whatever their line ends and wherever the stream is cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('\n', '\r', '\r\n'),
      fc.array(fc.nat({ max: 120 }), { maxLength: 6 }),
      async (lineEnd, places) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}${lineEnd}`).join(''));
        const cuts = [0, ...places.filter((place) => place < bytes.length).toSorted((a, b) => a - b)];
        const pieces = cuts.map((cut, index) => bytes.slice(cut, cuts[index + 1]));
        t.deepEqual(await eventsIn(pieces), expected);
      },
    ),
  );
});

test('an event that was cut off is none', async (t) => {
  t.deepEqual(await eventsIn([new TextEncoder().encode('data: 1\n\ndata: 2\n')]), [
    { event: 'message', id: undefined, data: '1' },
  ]);
});

test('who leaves early lets go of the stream', async (t) => {
  const left = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => left.resolve(),
  });
  for await (const { data } of serverSentEvents(body)) {
    t.is(data, '1');
    break;
  }
  await left.promise;
});
