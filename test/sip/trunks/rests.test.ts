import test from 'ava';
import { SimulatedClock } from 'xstate';
import { trunkTimes } from '#config/policy.ts';
import { createTrunkRests } from '#sip/trunks/rests.ts';

const world = () => {
  const clock = new SimulatedClock();
  return { clock, rests: createTrunkRests({ ...trunkTimes, clock }) };
};

test('an address that asks for no calls rests until then, and no other with it', (t) => {
  const { clock, rests } = world();
  rests.begin('carrier a', 30_000);
  clock.increment(10_000);
  t.is(rests.until('carrier a'), 30_000);
  t.is(rests.secondsUntil(30_000), 20);
  t.is(rests.until('carrier b'), null);
  clock.increment(20_000);
  t.is(rests.until('carrier a'), null);
});

test('it rests for an hour at most', (t) => {
  const { clock, rests } = world();
  rests.begin('carrier a', 86_400_000);
  clock.increment(3_599_999);
  t.is(rests.until('carrier a'), 3_600_000);
  clock.increment(1);
  t.is(rests.until('carrier a'), null);
});

test('the rest of all addresses of a trunk can be ended', (t) => {
  const { rests } = world();
  rests.begin('carrier a', 30_000);
  rests.begin('carriers a', 30_000);
  rests.end('carrier');
  t.is(rests.until('carrier a'), null);
  t.is(rests.until('carriers a'), 30_000);
});

test('a clock that is set back does not lengthen it', (t) => {
  let now = 7_200_000;
  const clock = Object.assign(new SimulatedClock(), { now: () => now });
  const rests = createTrunkRests({ ...trunkTimes, clock });
  rests.begin('carrier a', 1_000);
  t.is(rests.until('carrier a'), 7_201_000);
  now = 0;
  t.is(rests.until('carrier a'), null);
});
