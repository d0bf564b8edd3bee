import test from 'ava';
import { createPermits, type ReleasePermit } from '#src/outgoing/permits.ts';

const takeAll = (take: () => ReleasePermit | undefined): ReleasePermit[] => {
  const taken: ReleasePermit[] = [];
  for (let permit = take(); permit !== undefined; permit = take()) taken.push(permit);
  return taken;
};

test('one alone has half of the permits, a second finds room, and a permit that is released is free', (t) => {
  const permits = createPermits(12);
  const first = takeAll(() => permits.acquire('one'));
  t.is(first.length, 6);
  t.is(takeAll(() => permits.acquire('two')).length, 3);
  t.is(permits.acquire('one'), undefined);
  for (const releasePermit of first) {
    releasePermit();
    releasePermit();
  }
  t.deepEqual([...permits.held()], [['two', 3]]);
  t.is(takeAll(() => permits.acquire('one')).length, 5);
});

for (const others of [1, 2, 3, 7, 20]) {
  test(`when ${others} want all of a hundred permits, one who comes later finds room`, (t) => {
    const permits = createPermits(100);
    const takers = Array.from({ length: others }, (_, index) => `greedy ${index}`);
    // In turns, until none of them gets another.
    while (takers.filter((taker) => permits.acquire(taker) !== undefined).length > 0);
    const held = takers.map((taker) => permits.held().get(taker) ?? 0);
    t.true(Math.max(...held) - Math.min(...held) <= 1);
    t.true(Math.abs(Math.max(...held) - 100 / (others + 1)) < 1, held.join());
    t.not(permits.acquire('later'), undefined);
  });
}
