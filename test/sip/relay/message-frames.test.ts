/** Messages of the control protocol, as the network cuts them. */
import test from 'ava';
import { array, assert, nat, property, string } from 'fast-check';
import { BrokenFrame, createFrameReader, framed } from '#sip/relay/message-frames.ts';

const readAll = (parts: readonly Buffer[], longest = 1_000): string[] => {
  const read: string[] = [];
  const take = createFrameReader(longest, (message) => void read.push(message.toString()));
  for (const part of parts) take(part);
  return read;
};

test('messages arrive whole, wherever the network cuts them', (t) => {
  assert(
    property(
      array(string({ minLength: 1, maxLength: 60, unit: 'grapheme' })),
      array(nat(200)),
      (texts, cuts) => {
        const bytes = Buffer.concat(texts.map((text) => framed(Buffer.from(text))));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
          (a, b) => a - b,
        );
        const parts = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        t.deepEqual(readAll(parts), texts);
      },
    ),
  );
  t.deepEqual(readAll([...framed(Buffer.from('한 통'))].map((byte) => Buffer.from([byte]))), ['한 통']);
});

test('what is no message, or one that is too long, breaks the connection', (t) => {
  for (const garbage of ['GET / HTTP/1.1', '#', '0#', '12345678#', '-1#x', '1001#', '5#hello!#'])
    t.throws(() => readAll([Buffer.from(garbage)]), { instanceOf: BrokenFrame }, garbage);
  t.deepEqual(readAll([Buffer.from('1000#')]), []);
});
