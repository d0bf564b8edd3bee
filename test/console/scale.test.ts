import test from 'ava';
import { topOf } from '#src/console/overview/scale.ts';

test('the axis of calls has whole numbers at its top and at its half, and room for every bar', (t) => {
  for (let calls = 0; calls <= 20_000; calls += 1) {
    const top = topOf(calls);
    t.true(Number.isInteger(top / 2) && top >= calls, `${calls}: ${top}`);
    t.true(top <= Math.max(2, 2 * calls), `${calls}: ${top}`);
  }
  t.deepEqual([0, 1, 3, 5, 7, 11, 50, 99, 101, 1_000].map(topOf), [2, 2, 4, 6, 10, 20, 60, 100, 200, 1_000]);
});
