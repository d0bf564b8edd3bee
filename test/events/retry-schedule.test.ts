import test from 'ava';
import * as fc from 'fast-check';

import { deliveryPolicy } from '#config/policy.ts';
import { retryDelayMs } from '#src/events/retry-schedule.ts';

test('the first attempt is made at once and the second 5 seconds later', (t) => {
  t.is(
    retryDelayMs(deliveryPolicy, 0, () => 0.999),
    0,
  );
  t.is(
    retryDelayMs(deliveryPolicy, 1, () => 0),
    5_000,
  );
});

test('without jitter the delays are 0 s, 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, and then there is none', (t) => {
  const delays = Array.from({ length: 10 }, (_, attempts) => retryDelayMs(deliveryPolicy, attempts, () => 0));
  const minute = 60_000;
  t.deepEqual(delays, [
    0,
    5_000,
    minute,
    5 * minute,
    30 * minute,
    120 * minute,
    300 * minute,
    600 * minute,
    840 * minute,
    undefined,
  ]);
});

test('jitter only lengthens a delay, by at most its share', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat({ max: 25 }),
      (scheduleSec, jitter, chance, attempts) => {
        const delay = retryDelayMs({ scheduleSec, jitter }, attempts, () => chance);
        const plain = scheduleSec[attempts];
        if (plain === undefined) return delay === undefined;
        return (
          delay !== undefined && delay >= plain * 1000 && delay <= Math.ceil(plain * 1000 * (1 + jitter))
        );
      },
    ),
  );
  t.pass();
});
