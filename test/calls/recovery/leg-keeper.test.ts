import { randomUUID } from 'node:crypto';
import test from 'ava';
import { pino } from 'pino';
import { SimulatedClock } from 'xstate';
import { createLegKeeper } from '#src/calls/recovery/leg-keeper.ts';
import { systemClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import type { Database } from '#src/persistence/database.ts';
import { legsOf } from '#src/persistence/sip-legs.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { sealing } from '#test/helpers/test-sealing.ts';

const leg: SipLeg = {
  state: 'inviting',
  transactionId: 'transaction',
  dialogId: 'a@b;from-tag=c',
  sipCallId: 'a@b',
  local: '"O\'Neil" <sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: { server: '127.0.0.1:8021', uuid: 'channel' },
  dialog: null,
};

const keeperOn = (database: Database, node: string, clock: Clock = systemClock) =>
  createLegKeeper({
    database,
    sealing,
    node,
    epochOf: () => 1,
    goesOn: () => false,
    clock,
    logger: pino({ level: 'silent' }),
  });

test('the next process of a node finds the legs that were not over, as they were last', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  const keeper = keeperOn(database, node);
  const [standing, over, arrived, callId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  keeper.keep(standing, { callId, leg });
  keeper.keep(over, { callId: null, leg });
  keeper.keep(standing, { callId, leg: { ...leg, state: 'standing', nextHop: 'sip:proxy;lr' } });
  await keeper.settled(10_000);
  keeper.remove(over);
  keeper.keep(arrived, { callId: null, leg: { ...leg, state: 'arriving', channel: null } });
  await keeper.settled(10_000);

  const next = keeperOn(database, node);
  const found = await next.orphans();
  t.deepEqual(
    found.toSorted((one, other) => one.leg.state.localeCompare(other.leg.state)),
    [
      { id: arrived, callId: null, leg: { ...leg, state: 'arriving', channel: null } },
      { id: standing, callId, leg: { ...leg, state: 'standing', nextHop: 'sip:proxy;lr' } },
    ],
  );
  for (const { id } of found) next.remove(id);
  await next.settled(10_000);
  t.deepEqual(await legsOf(database, sealing, node), []);
});

test('legs of another node are left alone, unless they are asked for', async (t) => {
  const database = await testDatabase();
  const [one, other, id] = [randomUUID(), randomUUID(), randomUUID()];
  const keeper = keeperOn(database, one);
  keeper.keep(id, { callId: null, leg });
  await keeper.settled(10_000);
  t.deepEqual(await keeperOn(database, other).orphans(), []);
  t.deepEqual(await keeperOn(database, other).orphans(one), [{ id, callId: null, leg }]);
});

test('an absent database holds nothing up, and gets the last word on each leg when it is back', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  let isAway = true;
  let tries = 0;
  const failing: Database = {
    ...database,
    ...scriptedStatements((...asked) => {
      if (!isAway) return database.execute(...asked);
      tries += 1;
      return Promise.reject(new Error('away'));
    }),
  };
  const keeper = keeperOn(failing, node);
  const [lasting, passing] = [randomUUID(), randomUUID()];
  keeper.keep(lasting, { callId: null, leg });
  keeper.keep(passing, { callId: null, leg });
  while (tries === 0) await new Promise((resolve) => setImmediate(resolve));
  keeper.keep(lasting, { callId: null, leg: { ...leg, state: 'standing' } });
  keeper.remove(passing);
  isAway = false;
  while ((await legsOf(database, sealing, node)).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  await keeper.settled(10_000);
  t.deepEqual(await legsOf(database, sealing, node), [
    { id: lasting, callId: null, epoch: 1, leg: { ...leg, state: 'standing' } },
  ]);
});

test('a leg that is over is dropped with the next one that is kept, or a moment later', async (t) => {
  const database = await testDatabase();
  const node = randomUUID();
  let statements = 0;
  const counting: Database = {
    ...database,
    ...scriptedStatements(async (...asked) => {
      const rows = await database.execute<object>(...asked);
      statements += 1;
      return rows;
    }),
  };
  const clock = new SimulatedClock();
  const keeper = keeperOn(counting, node, clock);
  const [first, second] = [randomUUID(), randomUUID()];
  const ids = async (): Promise<string[]> => (await legsOf(database, sealing, node)).map(({ id }) => id);
  const written = async (count: number): Promise<void> => {
    while (statements < count) await new Promise((resolve) => setImmediate(resolve));
  };

  keeper.keep(first, { callId: null, leg });
  await written(1);
  keeper.remove(first);
  clock.increment(999);
  t.deepEqual([await ids(), statements], [[first], 1]);
  keeper.keep(second, { callId: null, leg });
  await written(2);
  t.deepEqual([await ids(), statements], [[second], 2]);

  keeper.remove(second);
  clock.increment(1_000);
  await written(3);
  t.deepEqual([await ids(), statements], [[], 3]);
});
