import test from 'ava';
import { goesOn } from '#sip/trunks/failover.ts';

const next: readonly (number | null)[] = [null, 401, 407, 408, 500, 502, 503, 504, 580];
const last: readonly number[] = [300, 403, 404, 410, 480, 484, 486, 487, 488, 600, 603, 604, 607];

for (const status of next)
  test(`after ${status ?? 'no answer'} the next trunk is tried`, (t) => {
    t.true(goesOn({ status, rang: false }));
    t.false(goesOn({ status, rang: true }), 'but not once a telephone has rung');
  });

for (const status of last)
  test(`after ${status} no other trunk is tried`, (t) => {
    t.false(goesOn({ status, rang: false }));
  });

test('a 5xx that speaks of the callee is no fault of the trunk', (t) => {
  t.false(goesOn({ status: 503, reason: 'Q.850;cause=17', rang: false }));
  t.false(goesOn({ status: 500, reason: 'Q.850;cause=1', rang: false }));
  t.true(goesOn({ status: 503, reason: 'Q.850;cause=34', rang: false }));
});
