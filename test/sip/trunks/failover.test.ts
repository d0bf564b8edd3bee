import test from 'ava';
import { causeOf, goesOn } from '#sip/trunks/failover.ts';

const next: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 500, 502, 503, 504, 580];
const last: readonly number[] = [300, 404, 410, 480, 484, 486, 487, 488, 600, 603, 604, 607];

for (const status of next)
  test(`after ${status ?? 'no answer'} the next trunk is tried`, (t) => {
    t.true(goesOn({ status, came: 'nowhere' }));
    t.false(goesOn({ status, came: 'ringing' }), 'but not once a telephone has rung');
  });

for (const status of last)
  test(`after ${status} no other trunk is tried`, (t) => {
    t.false(goesOn({ status, came: 'nowhere' }));
  });

test('a 5xx that speaks of the callee is no fault of the trunk', (t) => {
  t.false(goesOn({ status: 503, reason: 'Q.850;cause=17', came: 'nowhere' }));
  t.false(goesOn({ status: 500, reason: 'Q.850;cause=1', came: 'nowhere' }));
  t.true(goesOn({ status: 503, reason: 'Q.850;cause=34', came: 'nowhere' }));
});

test('a trunk that was working on the call and then fails is no end of it', (t) => {
  t.true(goesOn({ status: 503, came: 'progress' }));
  t.false(goesOn({ status: 408, came: 'progress' }), 'nobody has picked up');
  t.is(causeOf({ status: 408, came: 'progress' }), 'no_answer');
});
