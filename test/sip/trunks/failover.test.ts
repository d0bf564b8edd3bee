import test from 'ava';
import { causeOf, goesOn, isTrunksFault } from '#sip/trunks/failover.ts';
import { usualFailoverStatuses as usual } from '#src/domain/trunk.ts';

const next: readonly (number | null)[] = [null, 401, 403, 407, 408, 429, 500, 502, 503, 504, 580];
const last: readonly number[] = [300, 404, 410, 480, 484, 486, 487, 488, 600, 603, 604, 607];

for (const status of next)
  test(`after ${status ?? 'no answer'} the next trunk is tried`, (t) => {
    t.true(goesOn({ status, came: 'nowhere' }, usual));
    t.false(goesOn({ status, came: 'ringing' }, usual), 'but not once a telephone has rung');
  });

for (const status of last)
  test(`after ${status} no other trunk is tried`, (t) => {
    t.false(goesOn({ status, came: 'nowhere' }, usual));
  });

test('a 5xx that speaks of the callee is no fault of the trunk', (t) => {
  t.false(goesOn({ status: 503, reason: 'Q.850;cause=17', came: 'nowhere' }, usual));
  t.false(goesOn({ status: 500, reason: 'Q.850;cause=1', came: 'nowhere' }, usual));
  t.true(goesOn({ status: 503, reason: 'Q.850;cause=34', came: 'nowhere' }, usual));
});

test('a trunk that was working on the call and then fails is no end of it', (t) => {
  t.true(goesOn({ status: 503, came: 'progress' }, usual));
  t.false(goesOn({ status: 408, came: 'progress' }, usual), 'nobody has picked up');
  t.is(causeOf({ status: 408, came: 'progress' }), 'no_answer');
});

test('a trunk says itself which statuses are its fault', (t) => {
  t.true(goesOn({ status: 486, came: 'nowhere' }, ['486']));
  t.true(goesOn({ status: 404, came: 'progress' }, ['4xx']));
  t.false(goesOn({ status: 503, came: 'nowhere' }, ['500', '4xx']));
  t.false(goesOn({ status: 503, came: 'nowhere' }, []));
  t.false(goesOn({ status: 404, came: 'ringing' }, ['4xx']), 'never once a telephone has rung');
  t.false(
    goesOn({ status: 404, reason: 'Q.850;cause=1', came: 'nowhere' }, ['404']),
    'the network knows more',
  );
  t.true(goesOn({ status: null, came: 'nowhere' }, []), 'no word at all is no status');
});

test('a fault of the trunk stays one when a telephone has rung', (t) => {
  t.true(isTrunksFault({ status: 503, came: 'ringing' }, usual));
  t.false(isTrunksFault({ status: 486, came: 'ringing' }, usual));
});
