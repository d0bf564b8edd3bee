import test from 'ava';
import * as fc from 'fast-check';
import { byteRangeOf } from '#src/api/byte-range.ts';

const understood = test.macro({
  exec(t, header: string | undefined, size: number, expected: ReturnType<typeof byteRangeOf>) {
    t.deepEqual(byteRangeOf(header, size), expected);
  },
  title: (_, header: string | undefined, size: number) => `${header ?? 'no header'} of ${size} bytes`,
});

test(understood, undefined, 100, 'whole');
test(understood, 'bytes=0-9', 100, { start: 0, end: 9 });
test(understood, 'bytes=0-0', 100, { start: 0, end: 0 });
test(understood, 'bytes=90-', 100, { start: 90, end: 99 });
test(understood, 'bytes=90-1000', 100, { start: 90, end: 99 });
test(understood, 'bytes=-5', 100, { start: 95, end: 99 });
test(understood, 'bytes=-1000', 100, { start: 0, end: 99 });
test(understood, 'Bytes = 1-2', 100, { start: 1, end: 2 });
test(understood, 'bytes=200-300,0-4', 100, { start: 0, end: 4 });
test(understood, 'bytes=0-1,5-6', 100, 'whole');
test(understood, 'lines=0-9', 100, 'whole');
test(understood, 'bytes=100-', 100, 'invalid');
test(understood, 'bytes=-0', 100, 'invalid');
test(understood, 'bytes=5-2', 100, 'invalid');
test(understood, 'bytes=a-b', 100, 'invalid');
test(understood, 'bytes=1-2-3', 100, 'invalid');
test(understood, 'bytes=-', 100, 'invalid');
test(understood, 'bytes=', 100, 'invalid');
test(understood, 'bytes', 100, 'invalid');
test(understood, 'bytes=0-0', 0, 'invalid');
test(understood, 'bytes=-1', 0, 'invalid');

test('what is understood as a range always lies within the file', (t) => {
  const part = fc.oneof(fc.nat({ max: 300 }).map(String), fc.constant(''), fc.string({ maxLength: 3 }));
  const spec = fc.tuple(part, part).map(([first, last]) => `${first}-${last}`);
  const header = fc.array(spec, { maxLength: 3 }).map((specs) => `bytes=${specs.join(',')}`);
  fc.assert(
    fc.property(header, fc.nat({ max: 200 }), (text, size) => {
      const range = byteRangeOf(text, size);
      if (typeof range === 'string') return true;
      return range.start >= 0 && range.start <= range.end && range.end < size;
    }),
  );
  t.pass();
});

test('every range within a file is understood as itself', (t) => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000), (a, b, more) => {
      const [start, end] = a < b ? [a, b] : [b, a];
      t.deepEqual(byteRangeOf(`bytes=${start}-${end}`, end + 1 + more), { start, end });
    }),
  );
});
