import test from 'ava';
import * as fc from 'fast-check';
import { createSampleQueue } from '#src/speech/sample-queue.ts';
import { numbered } from './doubles/heard-events.ts';

test('what is added behind is taken in front, in order, however much of it there is', (t) => {
  const step = fc.oneof(
    fc.record({ add: fc.nat(5_000) }),
    fc.record({ take: fc.nat(6_000) }),
    fc.record({ drop: fc.integer({ min: -10, max: 6_000 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const queue = createSampleQueue();
      let from = 0;
      let to = 0;
      for (const one of steps) {
        if ('add' in one) {
          const buffer = numbered(one.add, to);
          queue.add(buffer);
          buffer.fill(0);
          to += one.add;
        } else if ('take' in one) {
          const taken = queue.take(one.take);
          t.deepEqual(taken, numbered(Math.min(one.take, to - from), from));
          from += taken.length;
        } else {
          queue.drop(one.drop);
          from = Math.min(to, from + Math.max(0, one.drop));
        }
        t.is(queue.length(), to - from);
      }
    }),
    { numRuns: 50 },
  );
});
