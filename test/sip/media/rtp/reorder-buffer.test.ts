import test from 'ava';
import { createReorderBuffer } from '#sip/media/rtp/reorder-buffer.ts';

const setUp = () => {
  const out: (number | string)[] = [];
  const buffer = createReorderBuffer<{ sequence: number }>(
    { onPacket: ({ sequence }) => out.push(sequence), onGap: (packets) => out.push(`gap ${packets}`) },
    { waitMs: 60, most: 5 },
  );
  const add = (sequence: number, at = 0): void => buffer.add({ sequence }, at);
  return { out, add, expire: buffer.expire };
};

test('packets in order go on at once', (t) => {
  const { out, add } = setUp();
  for (const sequence of [65_534, 65_535, 0, 1]) add(sequence);
  t.deepEqual(out, [65_534, 65_535, 0, 1]);
});

test('one that was overtaken is waited for, and comes in its place', (t) => {
  const { out, add } = setUp();
  for (const sequence of [1, 3, 4, 2]) add(sequence);
  t.deepEqual(out, [1, 2, 3, 4]);
});

test('one that is missing too long is a gap, and too late when it comes', (t) => {
  const { out, add, expire } = setUp();
  add(1, 0);
  add(4, 20);
  expire(79);
  t.deepEqual(out, [1]);
  expire(80);
  add(2, 81);
  add(3, 82);
  add(5, 83);
  t.deepEqual(out, [1, 'gap 2', 4, 5]);
});

test('what comes twice is heard once', (t) => {
  const { out, add } = setUp();
  for (const sequence of [1, 1, 3, 3, 2, 2]) add(sequence);
  t.deepEqual(out, [1, 2, 3]);
});

test('no more than a few packets wait', (t) => {
  const { out, add } = setUp();
  for (const sequence of [1, 3, 4, 5, 6, 7]) add(sequence);
  t.deepEqual(out, [1, 'gap 1', 3, 4, 5, 6, 7]);
});

test('a stream that begins anew somewhere else goes on from there, what waited goes first', (t) => {
  const { out, add } = setUp();
  for (const sequence of [1, 3, 20_000, 20_001]) add(sequence);
  t.deepEqual(out, [1, 'gap 1', 3, 20_000, 20_001]);
});

test('a packet from long ago begins a stream anew', (t) => {
  const { out, add } = setUp();
  for (const sequence of [5_000, 5_001, 4_000, 4_001]) add(sequence);
  t.deepEqual(out, [5_000, 5_001, 4_000, 4_001]);
});
