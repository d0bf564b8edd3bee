import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { SimulatedClock } from 'xstate';
import { createCounting, type Counting } from '#src/cluster/counting.ts';
import { dayOf } from '#src/domain/day.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CountedBirth } from '#src/persistence/counted-births.ts';
import type { Database } from '#src/persistence/database.ts';
import { joinNodes, otherNodes, removeNode, tellCountsAlone } from '#src/persistence/nodes.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { until } from '#test/helpers/until.ts';
import { callBirth, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

const numbers = { leaseMs: 3_000, patienceMs: 5_000, impatienceMs: 30_000, retryMs: 50 };

/** A gateway whose looks the test makes happen. Time goes by for it where it waits and `isPatient` is false. */
const joined = async (database: Database, name: string, isPatient = true) => {
  const instance = randomUUID();
  await joinNodes(database, { name, instance, address: null });
  const time = new SimulatedClock();
  const waits: number[] = [];
  const counting = createCounting({
    database,
    node: name,
    tell: (countsAlone) => tellCountsAlone(database, { name, instance, countsAlone }),
    numbers,
    clock: {
      now: () => time.now(),
      setTimeout(callback, milliseconds) {
        waits.push(milliseconds);
        if (!isPatient) time.increment(milliseconds);
        setImmediate(callback);
        return 0;
      },
      clearTimeout: () => {},
    },
  });
  const see = () => otherNodes(database, name);
  return {
    ...counting,
    counting,
    time,
    waits,
    look: async () => counting.look({ others: await see(), at: time.now() }, see),
    leave: () => removeNode(database, { name, instance, isLost: false }),
  };
};

type Joined = Awaited<ReturnType<typeof joined>>;

const gateways = async (t: ExecutionContext) => {
  const url = await testDatabaseUrl(t);
  const open = (name: string) => openTestDatabase(t, url, name);
  const first = await open('one');
  return {
    open,
    first,
    owner: await storedNumber(first),
    countsAlone: (name: string) => rowSays(first, name),
  };
};

const rowSays = async (database: Database, name: string): Promise<boolean | undefined> => {
  const [row] = await database.execute<{ alone: boolean }>(
    'select counts_alone as alone from node where name = $1',
    [name],
  );
  return row?.alone;
};

const counted = (
  owner: StoredNumber,
  maximum: number,
  changes: Partial<CountedBirth> = {},
): CountedBirth => ({
  birth: callBirth(owner),
  within: null,
  admit({ ofNumber, ofWorkspace }) {
    if (ofNumber >= maximum || ofWorkspace >= maximum) throw new Refusal('concurrency_limit', 'Full.');
  },
  ...changes,
});

const store = async (gateway: Pick<Counting, 'store'>, birth: CountedBirth): Promise<string> =>
  (await gateway.store(birth)).type;

const counts = (outcomes: readonly string[]) =>
  Object.fromEntries(
    ['stored', 'refused'].map((type) => [type, outcomes.filter((one) => one === type).length]),
  );

/** Whether it counts alone now. */
const isAlone = (gateway: Joined): boolean => {
  const isStored = gateway.alone();
  isStored?.();
  return isStored !== null;
};

test('calls that several gateways store at once are no more than the limit allows', async (t) => {
  const { open, first, owner } = await gateways(t);
  const both = [await joined(first, 'one'), await joined(await open('two'), 'two')];
  const outcomes = await Promise.all(
    both.flatMap((gateway) => Array.from({ length: 30 }, () => store(gateway, counted(owner, 10)))),
  );
  t.deepEqual(counts(outcomes), { stored: 10, refused: 50 });
  const rows = () => first.execute('select count(*)::int as calls from call where ended_at is null');
  t.deepEqual(await rows(), [{ calls: 10 }]);

  await first.execute(
    `update call set ended_at = now(), status = 'completed' where id in (select id from call limit 3)`,
  );
  const again = await Promise.all(
    both.flatMap((gateway) => Array.from({ length: 5 }, () => store(gateway, counted(owner, 10)))),
  );
  t.deepEqual(counts(again), { stored: 3, refused: 7 });
  t.deepEqual(await rows(), [{ calls: 10 }]);
});

test('minutes of a day and calls in progress are counted in one', async (t) => {
  const { first, owner } = await gateways(t);
  const gateway = await joined(first, 'one');
  const day = dayOf(Date.parse('2026-11-21T03:00:00.000Z'), 'Asia/Seoul');
  const grant = (spent: readonly { heldSec: number }[]): number => {
    const left = 700 - spent.reduce((sum, { heldSec }) => sum + heldSec, 0);
    if (left < 60) throw new Refusal('daily_limit_reached', 'Nothing is left.');
    return Math.min(600, left);
  };
  const within = { day, grant };
  t.deepEqual(await gateway.store(counted(owner, 10, { within })), { type: 'stored', maxDurationSec: 600 });
  t.deepEqual(await gateway.store(counted(owner, 10, { within })), { type: 'stored', maxDurationSec: 100 });
  t.is(await store(gateway, counted(owner, 10, { within })), 'refused');
  t.is(await store(gateway, counted(owner, 2)), 'refused');
});

test('who is alone counts alone, while it looks, and says so', async (t) => {
  const { first, countsAlone } = await gateways(t);
  const gateway = await joined(first, 'one');
  t.false(isAlone(gateway), 'nobody has looked yet');
  await gateway.look();
  t.true(isAlone(gateway));
  t.true(await countsAlone('one'));
  gateway.time.increment(2_999);
  t.true(isAlone(gateway));
  gateway.time.increment(1);
  t.false(isAlone(gateway), 'it was frozen, and others may be there');
  await gateway.look();
  t.true(isAlone(gateway));
});

test('who joins stores nothing until the one that was alone has stored what it had counted', async (t) => {
  const { open, first, owner, countsAlone } = await gateways(t);
  const one = await joined(first, 'one');
  await one.look();
  const isStored = one.alone();
  const two = await joined(await open('two'), 'two');
  const turns = [
    () => one.look(),
    async () => t.true(await countsAlone('one'), 'a call is not stored yet'),
    () => isStored?.(),
    () => one.look(),
  ];
  const storing = two.store(counted(owner, 1));
  let isOver = false;
  void storing.then(() => (isOver = true));
  await until('it waits', () => two.waits.length > 0 || undefined);
  for (const turn of turns) {
    await turn();
    if (turn !== turns.at(-1)) t.false(isOver);
  }
  t.false(await countsAlone('one'));
  t.is((await storing).type, 'stored');
  t.false(isAlone(one));
  t.is(await store(one, counted(owner, 1)), 'refused');
});

test('of two that join at once none counts alone', async (t) => {
  const { open, first, countsAlone } = await gateways(t);
  const one = await joined(first, 'one');
  const two = await joined(await open('two'), 'two');
  await Promise.all([one.look(), two.look()]);
  t.deepEqual([isAlone(one), isAlone(two)], [false, false]);
  t.deepEqual([await countsAlone('one'), await countsAlone('two')], [false, false]);
  await two.leave();
  await one.look();
  t.true(isAlone(one));
});

test('who joins between two looks of another that wants to count alone is seen', async (t) => {
  const { open, first, countsAlone } = await gateways(t);
  const one = await joined(first, 'one');
  await joined(await open('two'), 'two');
  const before = { others: [], at: one.time.now() };
  await one.counting.look(before, () => otherNodes(first, 'one'));
  t.false(isAlone(one));
  t.false(await countsAlone('one'));
});

test('one that counts alone and says nothing more is waited for longer than its lease lasts, once', async (t) => {
  const { open, first, owner } = await gateways(t);
  const frozen = await joined(first, 'one');
  await frozen.look();
  const two = await joined(await open('two'), 'two', false);
  t.is(await store(two, counted(owner, 5)), 'stored');
  t.is(
    two.waits.reduce((sum, wait) => sum + wait, 0),
    numbers.patienceMs,
  );
  two.waits.length = 0;
  t.is(await store(two, counted(owner, 5)), 'stored');
  t.deepEqual(two.waits, []);
});

test('who was found dead stores nothing until it is there again', async (t) => {
  const { open, first, owner } = await gateways(t);
  const one = await joined(first, 'one');
  await joined(await open('two'), 'two');
  await first.execute(`update node set lost_at = now() where name = 'one'`);
  const storing = store(one, counted(owner, 5));
  await until('it waits', () => one.waits.length > 0 || undefined);
  await first.execute(`update node set lost_at = null where name = 'one'`);
  t.is(await storing, 'stored');
});
