import test from 'ava';
import type { CompiledQuery } from 'kysely';
import type { Database } from '#src/persistence/database.ts';
import { claimDeliveries } from '#src/persistence/deliveries.ts';
import { changedTables, tablesIn } from '#test/helpers/query-tables.ts';
import { onlyEnded, openWorld, settled } from './event-world.ts';

/** A database that breaks at these queries, as often as `times` says. */
const breaking = (db: Database, isMeant: (query: CompiledQuery) => boolean, times: number): Database => ({
  ...db,
  run(query) {
    if (isMeant(query) && times-- > 0) return Promise.reject(new Error('Connection terminated unexpectedly'));
    return db.run(query);
  },
});

/** Only a claim looks for what has to be delivered. */
const isClaim = (query: CompiledQuery): boolean => tablesIn(query).has('event');

const isOutcome = (query: CompiledQuery): boolean => changedTables(query).includes('delivery_attempt');

test('what a killed process had claimed is delivered when its lease ends', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();
  const now = world.clock.now();
  const claimed = await claimDeliveries(db, {
    node: 'another',
    now: new Date(now),
    until: new Date(now + 45_000),
    free: 10,
    held: new Map(),
    perEndpoint: 5,
    restrained: new Map(),
  });
  t.is(claimed.length, 1);

  await world.startWorker();
  await world.clock.timerIn(45_000);
  t.is(receiver.received.length, 0);
  world.clock.advance(45_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received[0]?.id, claimed[0]?.event.id);
});

test('what a killed process of the same node had claimed is delivered as soon as the node starts again', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();
  const now = world.clock.now();
  const until = new Date(now + 45_000);
  const places = { free: 10, held: new Map(), perEndpoint: 5, restrained: new Map() };
  const claim = { node: 'gateway', now: new Date(now), until, ...places };
  t.is((await claimDeliveries(db, claim)).length, 1);

  await world.startWorker({ node: 'gateway' });

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received.length, 1);
});

test('an event whose outcome could not be stored is delivered again with the same id', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.startWorker({ db: breaking(db, isOutcome, 1) });
  await world.call();
  await receiver.until(1);

  await world.clock.timerIn(45_000);
  world.clock.advance(45_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received.length, 2);
  t.is(receiver.received[0]?.id, receiver.received[1]?.id);
});

test('a worker whose database is away for a moment goes on when it is back', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver } = await world.endpoint(onlyEnded);
  await world.call();
  await world.startWorker({ db: breaking(db, isClaim, 1) });

  await world.clock.timerIn(1_000);
  t.is(receiver.received.length, 0);
  world.clock.advance(1_000);

  await receiver.until(1);
  t.pass();
});

test('a secret that cannot be opened costs an attempt, not the worker', async (t) => {
  const { db, world } = await openWorld(t);
  const broken = await world.endpoint(onlyEnded);
  await db.execute(`update webhook_endpoint set secret_sealed = 'nonsense'`);
  const sound = await world.endpoint(onlyEnded);
  await world.startWorker();
  await world.call();

  await settled(world, sound.id, 'delivered');
  await world.clock.timerIn(5_000);
  const [delivery] = await world.deliveries(broken.id);
  t.is(delivery?.attempts[0]?.error, 'The gateway could not make this attempt');
  t.is(broken.receiver.received.length, 0);
});

test('closing lets the attempts under way end and claims nothing more', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const release = Promise.withResolvers<void>();
  receiver.answer({ after: release.promise });
  const worker = await world.startWorker({ perEndpoint: 1 });
  await world.call();
  await receiver.until(1);

  const closed = worker.close();
  release.resolve();
  await closed;

  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['delivered', 'pending']);
  t.is(receiver.received.length, 1);
});

test('what is claimed while the worker closes is left to the next one', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();

  // Its first look is under way.
  const worker = await world.startWorker();
  await worker.close();
  t.is(receiver.received.length, 0);
  t.deepEqual(
    (await world.deliveries(id)).map(({ state }) => state),
    ['pending'],
  );

  await world.startWorker();
  await settled(world, id, 'delivered');
  t.is(receiver.received.length, 1);
});

test('an attempt that closing breaks off is given back at once and does not count', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer('hang');
  const worker = await world.startWorker({ closeMs: 700 });
  await world.call();
  await receiver.until(1);

  const closed = worker.close();
  await world.clock.timerIn(700);
  world.clock.advance(700);
  await closed;
  t.deepEqual((await world.deliveries(id))[0]?.attempts, []);

  await world.startWorker();
  const [delivery] = await settled(world, id, 'delivered');
  t.deepEqual(
    delivery?.attempts.map(({ attempt }) => attempt),
    [1],
  );
});
