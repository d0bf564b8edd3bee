import test from 'ava';
import { SimulatedClock } from 'xstate';
import { trunkTimes } from '#config/policy.ts';
import { createTrunkLimits, type Acquired } from '#sip/trunks/limits.ts';
import { someTrunk } from './some-trunk.ts';

const patienceMs = 3_000;

const world = () => {
  const clock = new SimulatedClock();
  const limits = createTrunkLimits({ ...trunkTimes, clock, patienceMs });
  return { clock, limits };
};

const never = new AbortController().signal;
const settle = async (): Promise<void> => {
  for (let times = 0; times < 10; times += 1) await Promise.resolve();
};
const permitOf = (acquired: Acquired) => {
  if ('full' in acquired) throw new Error(acquired.full);
  return acquired.permit;
};

test('a trunk without limits takes every call at once', async (t) => {
  const { limits } = world();
  for (let calls = 0; calls < 100; calls += 1) permitOf(await limits.acquire(someTrunk(), true, never));
  t.is(limits.channelsOf('carrier'), 100);
});

test('a full trunk sends calls on to the next at once', async (t) => {
  const { limits } = world();
  const trunk = someTrunk({ maxChannels: 1 });
  const permit = permitOf(await limits.acquire(trunk, false, never));
  t.deepEqual(await limits.acquire(trunk, false, never), {
    full: 'The trunk "carrier" has no free channel (of 1).',
  });
  permit.release();
  permit.release();
  t.is(limits.channelsOf('carrier'), 0);
  permitOf(await limits.acquire(trunk, false, never));
});

test('on the last trunk a call waits for a channel, the longest waiting first', async (t) => {
  const { clock, limits } = world();
  const trunk = someTrunk({ maxChannels: 1 });
  const first = permitOf(await limits.acquire(trunk, true, never));
  const order: string[] = [];
  const second = limits.acquire(trunk, true, never);
  const third = limits.acquire(trunk, true, never);
  void second.then((acquired) => order.push('full' in acquired ? 'second is refused' : 'second'));
  void third.then((acquired) => order.push('full' in acquired ? 'third is refused' : 'third'));
  await settle();
  t.deepEqual(order, []);
  first.release();
  await settle();
  t.deepEqual(order, ['second']);
  clock.increment(patienceMs);
  await settle();
  t.deepEqual(order, ['second', 'third is refused']);
  permitOf(await second).release();
  t.is(limits.channelsOf('carrier'), 0);
});

test('a call that is given up waits no longer and holds nothing', async (t) => {
  const { limits } = world();
  const trunk = someTrunk({ maxChannels: 1 });
  const first = permitOf(await limits.acquire(trunk, true, never));
  const given = new AbortController();
  const waiting = limits.acquire(trunk, true, given.signal);
  given.abort();
  t.true('full' in (await waiting));
  t.true('full' in (await limits.acquire(trunk, true, AbortSignal.abort())));
  first.release();
  t.is(limits.channelsOf('carrier'), 0);
});

test('new calls go out evenly, and beyond the queue they are refused', async (t) => {
  const { clock, limits } = world();
  const trunk = someTrunk({ callsPerSecond: 2 });
  const begun: number[] = [];
  const refused: string[] = [];
  for (let calls = 0; calls < 10; calls += 1)
    void (async () => {
      const acquired = await limits.acquire(trunk, true, never);
      if ('full' in acquired) refused.push(acquired.full);
      else begun.push(clock.now());
    })();
  await settle();
  t.deepEqual(begun, [0]);
  t.deepEqual(
    refused,
    Array.from({ length: 3 }, () => 'More calls than 2 a second wait for the trunk "carrier".'),
  );
  for (let tenths = 0; tenths < 40; tenths += 1) {
    clock.increment(100);
    await settle();
  }
  t.deepEqual(begun, [0, 500, 1_000, 1_500, 2_000, 2_500, 3_000]);
});

test('calls that come in count, and never wait', async (t) => {
  const { limits } = world();
  const trunk = someTrunk({ maxChannels: 2, callsPerSecond: 1 });
  const one = limits.tryAcquire(trunk);
  t.truthy(one);
  permitOf(await limits.acquire(trunk, true, never));
  t.is(limits.tryAcquire(trunk), null);
  one?.release();
  t.truthy(limits.tryAcquire(trunk));
});
