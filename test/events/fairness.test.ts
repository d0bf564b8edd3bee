/** Slow and dead endpoints of one workspace are its own affair. No time is measured: the clock stands still. */
import test from 'ava';

import type { Database } from '#src/persistence/database.ts';
import { createEventWorld, onlyEnded, openWorld, settled } from './event-world.ts';

const times = <Value>(count: number, make: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, make));

const claimed = async (db: Database): Promise<number> =>
  (await db.execute('select 1 from event_delivery where claimed_until is not null')).length;

test('twelve endpoints of one workspace that hang take half of the places, and another gets its events at once', async (t) => {
  const { db, world } = await openWorld(t);
  const hanging = await times(12, () => world.endpoint(onlyEnded));
  for (const { receiver } of hanging) receiver.answer(...Array.from({ length: 10 }, () => 'hang' as const));
  await times(10, () => world.call());
  await world.startWorker({ perEndpoint: 5, inAll: 100 });
  const underWay = () => hanging.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
  while (underWay() < 50) await new Promise(setImmediate);

  const other = await createEventWorld(t, db, world);
  const good = await other.endpoint(onlyEnded);
  await times(10, () => other.call());
  await good.receiver.until(10);

  await settled(other, good.id, ...Array.from({ length: 10 }, () => 'delivered'));
  t.is(underWay(), 50);
  t.is(await claimed(db), 50);
});

test('an endpoint that does not answer is left alone, tried with one delivery, and then gets what waited', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const release = Promise.withResolvers<void>();
  receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const), { after: release.promise });
  const breakers = { opensAfter: 5, coolDown: { firstMs: 7_000, longestMs: 60_000 } };
  await world.startWorker({ perEndpoint: 5, breakers });
  await times(8, () => world.call());
  await receiver.until(5);

  world.clock.advance(15_000);
  await world.clock.timerIn(5_000);
  // The retries are due, and wait all the same.
  world.clock.advance(5_000);
  await world.clock.timerIn(2_000);
  t.is(receiver.received.length, 5);
  world.clock.advance(2_000);
  await receiver.until(6);
  t.is(await claimed(db), 1);
  t.deepEqual(
    (await world.deliveries(id)).map(({ attempts }) => attempts.length).toSorted((one, other) => one - other),
    [0, 0, 0, 1, 1, 1, 1, 1],
  );

  release.resolve();
  await settled(world, id, ...Array.from({ length: 8 }, () => 'delivered'));
  t.is(receiver.received.length, 13);
});

test('an endpoint that answers with an error has answered', async (t) => {
  const { world } = await openWorld(t);
  const { receiver } = await world.endpoint(onlyEnded);
  receiver.answer(...Array.from({ length: 6 }, () => ({ status: 500 })));
  const breakers = { opensAfter: 2, coolDown: { firstMs: 60_000, longestMs: 60_000 } };
  await world.startWorker({ perEndpoint: 1, breakers });
  await times(6, () => world.call());
  t.is((await receiver.until(6)).length, 6);
});
