import test from 'ava';
import { once } from 'node:events';
import { setImmediate as nextTask } from 'node:timers/promises';
import { SimulatedClock } from 'xstate';
import { createPulledStream } from '#src/api/calls/pulled-stream.ts';

/** A stream of these messages, how many of them were made, and how often it has ended. */
const setUp = (messages: AsyncIterable<string>) => {
  const clock = new SimulatedClock();
  const seen = { made: 0, ends: 0 };
  async function* counted() {
    for await (const message of messages) {
      seen.made += 1;
      yield message;
    }
  }
  const stream = createPulledStream(counted(), {
    clock,
    slowReaderMs: 1_000,
    onEnd: () => (seen.ends += 1),
  });
  return { stream, seen, clock };
};

async function* count(to: number) {
  for (let number = 1; number <= to; number += 1) yield `${number} `;
}

test('a reader gets every message, and the stream ends once', async (t) => {
  const { stream, seen } = setUp(count(100));
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  t.is(text.split(' ').length, 101);
  t.is(seen.ends, 1);
});

test('a reader that takes nothing any more is dropped, and no more is made for it', async (t) => {
  const { stream, seen, clock } = setUp(
    (async function* () {
      for (;;) yield 'x'.repeat(100_000);
    })(),
  );
  stream.read(0);
  while (seen.made === 0) await nextTask();
  await nextTask();
  clock.increment(999);
  t.false(stream.destroyed);
  clock.increment(1);
  t.true(stream.destroyed);
  await once(stream, 'close');
  t.is(seen.ends, 1);
  t.is(seen.made, 1);
});

test('a stream that is left while a message is made ends at once, and leaves no timer', async (t) => {
  const message = Promise.withResolvers<string>();
  const { stream, seen, clock } = setUp(
    (async function* () {
      yield await message.promise;
    })(),
  );
  stream.read(0);
  stream.destroy();
  t.is(seen.ends, 1);
  message.resolve('late');
  await once(stream, 'close');
  clock.increment(10_000);
  t.is(seen.ends, 1);
});

test('a message that cannot be made is the error of the stream', async (t) => {
  const { stream, seen } = setUp(
    (async function* () {
      yield 'one';
      throw new Error('The database is away');
    })(),
  );
  await t.throwsAsync(
    async () => {
      for await (const chunk of stream) t.is(String(chunk), 'one');
    },
    { message: 'The database is away' },
  );
  t.is(seen.ends, 1);
});
