import test from 'ava';
import { createPlaces, type GiveBack } from '#src/outgoing/places.ts';

const takeAll = (take: () => GiveBack | undefined): GiveBack[] => {
  const taken: GiveBack[] = [];
  for (let place = take(); place !== undefined; place = take()) taken.push(place);
  return taken;
};

test('one alone has half of the places, a second finds room, and a place that is given back is free', (t) => {
  const places = createPlaces(12);
  const first = takeAll(() => places.take('one'));
  t.is(first.length, 6);
  t.is(takeAll(() => places.take('two')).length, 3);
  t.is(places.take('one'), undefined);
  for (const giveBack of first) {
    giveBack();
    giveBack();
  }
  t.deepEqual([...places.held()], [['two', 3]]);
  t.is(takeAll(() => places.take('one')).length, 5);
});

for (const others of [1, 2, 3, 7, 20]) {
  test(`when ${others} want all of a hundred places, one who comes later finds room`, (t) => {
    const places = createPlaces(100);
    const takers = Array.from({ length: others }, (_, index) => `greedy ${index}`);
    // In turns, until none of them gets another.
    while (takers.filter((taker) => places.take(taker) !== undefined).length > 0);
    const held = takers.map((taker) => places.held().get(taker) ?? 0);
    t.true(Math.max(...held) - Math.min(...held) <= 1);
    t.true(Math.abs(Math.max(...held) - 100 / (others + 1)) < 1, held.join());
    t.not(places.take('later'), undefined);
  });
}
