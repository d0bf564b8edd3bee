import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { createTrunkLoad } from '#src/persistence/trunk-load.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

/** Two gateways with connections of their own. */
const twoGateways = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const database = await openTestDatabase(t, url, 'one');
  const other = await openTestDatabase(t, url, 'two');
  return { database, one: createTrunkLoad(database, 'one'), two: createTrunkLoad(other, 'two') };
};

const trunkId = 'carrier';

test('two gateways that take channels at once never have more than the trunk', async (t) => {
  const { one, two } = await twoGateways(t);
  const take = (load: typeof one) => load.take({ trunkId, callId: randomUUID(), maxChannels: 7 });
  const taken = await Promise.all(Array.from({ length: 30 }, () => [take(one), take(two)]).flat());
  t.is(taken.filter(Boolean).length, 7);
  t.true(await one.take({ trunkId: 'another', callId: randomUUID(), maxChannels: 1 }));
});

test('a channel is free when it is given back, and when its call is over', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  const limited = { trunkId, maxChannels: 1 };
  t.true(await one.take({ ...limited, callId }));
  const next = randomUUID();
  t.false(await two.take({ ...limited, callId: next }));
  await database.execute(`update call set ended_at = now() where id = '${callId}'`);
  t.true(await two.take({ ...limited, callId: next }), 'the gateway of the first one may be dead');
  await two.giveBack({ trunkId, callId: next });
  t.true(await one.take({ ...limited, callId: randomUUID() }));
});

test('a call keeps its channel at the gateway that goes on with it', async (t) => {
  const { database, one, two } = await twoGateways(t);
  const callId = await storedCall(database, await storedNumber(database), { node: 'one' });
  t.true(await one.take({ trunkId, callId, maxChannels: 1 }));
  await two.keep({ trunkId, callId });
  await one.giveBack({ trunkId, callId });
  t.false(await one.take({ trunkId, callId: randomUUID(), maxChannels: 1 }));
  await two.giveBack({ trunkId, callId });
  t.true(await one.take({ trunkId, callId: randomUUID(), maxChannels: 1 }));
});

test('a caller that was never stored counts for half a minute', async (t) => {
  const { database, one, two } = await twoGateways(t);
  t.true(await one.take({ trunkId, callId: randomUUID(), maxChannels: 1 }));
  t.false(await two.take({ trunkId, callId: randomUUID(), maxChannels: 1 }));
  await database.execute(`update trunk_channel set taken_at = now() - interval '31 seconds'`);
  t.true(await two.take({ trunkId, callId: randomUUID(), maxChannels: 1 }));
});

test('the calls of two gateways go out one after the other, and beyond their patience none', async (t) => {
  const { one, two } = await twoGateways(t);
  // So slow that the time which the test takes is small beside it.
  const call = { trunkId, callsPerSecond: 1 / 600, patienceMs: 1_900_000 };
  const turns: (number | null)[] = [];
  for (const load of [one, two, one, two, one]) turns.push(await load.turn(call));
  t.deepEqual(
    turns.map((turn) => turn && Math.ceil(turn / 600_000)),
    [0, 1, 2, 3, null],
  );
});
