/** Gateways that share a database: counters, signals and wake-ups. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { type Counting, createCounting } from '#src/cluster/counting.ts';
import { openNatsWakeUps } from '#src/cluster/nats-wake-ups.ts';
import { createNodeSignals } from '#src/cluster/signals.ts';
import { NodeUnreachable } from '#src/domain/node-unreachable.ts';
import { databaseWakeUps, type WakeUps } from '#src/cluster/wake-ups.ts';
import { dayOf } from '#src/domain/day.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CountedCall } from '#src/persistence/calls/counted-creation.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { joinNodes, otherNodes, removeNode, tellCountsAlone } from '#src/persistence/nodes/nodes.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { openTestDatabase, ownDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { hasNatsServer, startNatsServer } from '#test/helpers/nats-server.ts';
import { newCallRow, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';
import { skippedWithout } from '#test/helpers/where-installed.ts';

// Counting

const numbers = { leaseMs: 3_000, patienceMs: 5_000, impatienceMs: 30_000, retryMs: 50 };

/** A gateway whose checks the test triggers. Its clock advances while it waits and `isPatient` is false. */
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

const counted = (owner: StoredNumber, maximum: number, changes: Partial<CountedCall> = {}): CountedCall => ({
  newCall: newCallRow(owner),
  within: null,
  admit({ ofNumber, ofWorkspace }) {
    if (ofNumber >= maximum || ofWorkspace >= maximum) throw new Refusal('concurrency_limit', 'Full.');
  },
  ...changes,
});

const store = async (gateway: Pick<Counting, 'store'>, newCall: CountedCall): Promise<string> =>
  (await gateway.store(newCall)).type;

const counts = (outcomes: readonly string[]) =>
  Object.fromEntries(
    ['stored', 'refused'].map((type) => [type, outcomes.filter((one) => one === type).length]),
  );

/** True if the gateway counts alone now. */
const isAlone = (gateway: Joined): boolean => {
  const isStored = gateway.alone();
  isStored?.();
  return isStored !== null;
};

test.serial('limits calls that several gateways store at the same time', async (t) => {
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

test.serial('applies the limits of daily minutes and active calls together', async (t) => {
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

test.serial('counts alone while no other gateway exists and reports this', async (t) => {
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

test.serial(
  'a joining gateway stores no calls until the previously single one has stored its counts',
  async (t) => {
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
  },
);

test.serial('two gateways that join at the same time both count together', async (t) => {
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

test.serial('detects a gateway that joins while another one is about to count alone', async (t) => {
  const { open, first, countsAlone } = await gateways(t);
  const one = await joined(first, 'one');
  await joined(await open('two'), 'two');
  const before = { others: [], at: one.time.now() };
  await one.counting.look(before, () => otherNodes(first, 'one'));
  t.false(isAlone(one));
  t.false(await countsAlone('one'));
});

test.serial('waits once, longer than the lease, for an unresponsive gateway that counts alone', async (t) => {
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

test.serial('a gateway that was declared dead stores no calls until it is registered again', async (t) => {
  const { open, first, owner } = await gateways(t);
  const one = await joined(first, 'one');
  await joined(await open('two'), 'two');
  await first.execute(`update node set lost_at = now() where name = 'one'`);
  const storing = store(one, counted(owner, 5));
  await until('it waits', () => one.waits.length > 0 || undefined);
  await first.execute(`update node set lost_at = null where name = 'one'`);
  t.is(await storing, 'stored');
});

// Signals

/** Two gateways on one database; their time-outs run on the test's clock. */
const signalsWorld = async (t: ExecutionContext) => {
  const database = await ownDatabase(t);
  const clock = createOrderedClock();
  const names = { asking: `asking-${randomUUID()}`, asked: `asked-${randomUUID()}` };
  const wakeUps = databaseWakeUps(database);
  const signalsOf = (node: string, wake = wakeUps.wake) => {
    const signals = createNodeSignals({
      database,
      wakeUps: { ...wakeUps, wake },
      node,
      answerMs: 60_000,
      clock,
      logger: pino({ level: 'silent' }),
    });
    t.teardown(signals.close);
    return signals;
  };
  const asking = signalsOf(names.asking);
  await asking.open(async () => ({}));
  const rows = async (): Promise<string[]> =>
    (await database.execute<{ state: string }>('select state from node_signal')).map(({ state }) => state);
  return {
    clock,
    names,
    asking,
    asked: signalsOf(names.asked),
    /** A gateway whose answers are stored, but announced to no one. */
    silent: () => signalsOf(names.asked, async () => undefined),
    rows,
  };
};

test.serial('executes a request on another gateway and returns the response to its sender', async (t) => {
  const { names, asking, asked, rows, clock } = await signalsWorld(t);
  const requests: unknown[] = [];
  await asked.open(async (request) => {
    requests.push(request);
    return { done: requests.length };
  });
  t.deepEqual(await asking.ask(names.asked, { hangUp: 'one' }), { done: 1 });
  t.deepEqual(await asking.ask(names.asked, { hangUp: 'another' }), { done: 2 });
  t.deepEqual(requests, [{ hangUp: 'one' }, { hangUp: 'another' }]);
  t.deepEqual(await rows(), []);
  t.is(clock.pending(), 0);
});

test.serial('executes other requests while a long one runs', async (t) => {
  const { names, asking, asked } = await signalsWorld(t);
  const long = Promise.withResolvers<object>();
  let asks = 0;
  await asked.open(async () => ((asks += 1) === 1 ? long.promise : { quick: true }));
  const first = asking.ask(names.asked, {});
  await until('it is under way', () => asks === 1 || undefined);
  t.deepEqual(await asking.ask(names.asked, {}), { quick: true });
  long.resolve({ long: true });
  t.deepEqual(await first, { long: true });
});

test.serial('withdraws a request after its time-out so that no gateway executes it later', async (t) => {
  const { names, asking, asked, rows, clock } = await signalsWorld(t);
  const answer = asking.ask(names.asked, {});
  await until('it is sent', async () => (await rows()).length === 1 || undefined);
  clock.advance(60_000);
  t.like(await t.throwsAsync(answer, { instanceOf: NodeUnreachable }), { isWithdrawn: true });
  t.deepEqual(await rows(), []);
  let asks = 0;
  await asked.open(async () => ({ asks: (asks += 1) }));
  t.deepEqual(await asking.ask(names.asked, {}), { asks: 1 });
});

test.serial('sends no response to a failed request, and responds to the next one', async (t) => {
  const { names, asking, asked, rows, clock } = await signalsWorld(t);
  let asks = 0;
  await asked.open(async () => {
    asks += 1;
    if (asks === 1) throw new Error('This cannot be done');
    return { asks };
  });
  const failing = asking.ask(names.asked, {});
  await until('it was tried', () => asks === 1 || undefined);
  t.deepEqual(await asking.ask(names.asked, {}), { asks: 2 });
  clock.advance(60_000);
  t.like(await t.throwsAsync(failing, { instanceOf: NodeUnreachable }), { isWithdrawn: false });
  t.deepEqual(await rows(), []);
});

test.serial('returns a response that was stored, but not announced, when the time-out passes', async (t) => {
  const { names, asking, silent, rows, clock } = await signalsWorld(t);
  await silent().open(async () => ({ done: true }));
  const answer = asking.ask(names.asked, {});
  await until('it is answered', async () => (await rows()).includes('answered') || undefined);
  clock.advance(60_000);
  t.deepEqual(await answer, { done: true });
  t.deepEqual(await rows(), []);
});

// Wake-ups
// The contract of wake-ups between gateways, and the additions of NATS.

/** Two gateways. */
type Pair = { waking: WakeUps; woken: WakeUps };

const byDatabase = async (t: ExecutionContext): Promise<Pair> => {
  const wakeUps = databaseWakeUps(await ownDatabase(t));
  return { waking: wakeUps, woken: wakeUps };
};

const silentDatabase = (): WakeUps & { woken: string[] } => {
  const woken: string[] = [];
  return {
    woken,
    listen: async () => async () => {},
    wake: async (channel) => void woken.push(channel),
  };
};

const natsGateway = (t: ExecutionContext, port: number, token?: string) => {
  const logged: string[] = [];
  const database = silentDatabase();
  const clock = createOrderedClock();
  const wakeUps = openNatsWakeUps({
    nats: {
      servers: [`127.0.0.1:${port}`],
      isEncrypted: false,
      credentials: token === undefined ? null : { token },
    },
    numbers: { connectMs: 10_000, retryMs: 100, lookMs: 60_000 },
    node: 'test',
    database,
    clock,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(line) }),
  });
  t.teardown(wakeUps.close);
  const untilLogged = (words: string, times = 1) =>
    until(words, () => logged.filter((line) => line.includes(words)).length >= times || undefined);
  return { wakeUps, database, clock, logged, untilLogged };
};

const natsServer = async (t: ExecutionContext, options?: Parameters<typeof startNatsServer>[0]) => {
  const server = await startNatsServer(options);
  t.teardown(server.stop);
  return server;
};

const byNats = async (t: ExecutionContext): Promise<Pair> => {
  const { port } = await natsServer(t);
  const [waking, woken] = [natsGateway(t, port), natsGateway(t, port)];
  await Promise.all([
    waking.untilLogged('notifications between gateways use NATS'),
    woken.untilLogged('notifications between gateways use NATS'),
  ]);
  return { waking: waking.wakeUps, woken: woken.wakeUps };
};

/** Counts wake-ups of a channel. */
const counting = async (wakeUps: WakeUps, channel: string) => {
  let count = 0;
  const unlisten = await wakeUps.listen(channel, () => (count += 1));
  return {
    unlisten,
    count: () => count,
    /** Repeats a wake-up until it is received, because a new listener takes a moment to register. */
    heardFrom: async (waking: WakeUps) => {
      const before = count;
      await until('it is woken', async () => {
        await waking.wake(channel);
        return count > before || undefined;
      });
    },
  };
};

const drivers = { 'the database': byDatabase, ...(hasNatsServer ? { NATS: byNats } : {}) };

for (const [name, start] of Object.entries(drivers)) {
  test.serial(`wakes exactly the listeners of a channel by ${name}`, async (t) => {
    const { waking, woken } = await start(t);
    const channel = `channel_${randomUUID().replaceAll('-', '')}`;
    const one = await counting(woken, channel);
    const two = await counting(waking, channel);
    const other = await counting(woken, `${channel}_2`);
    await one.heardFrom(waking);
    await two.heardFrom(woken);
    t.is(other.count(), 0);
  });

  test.serial(`does not wake a stopped listener by ${name}`, async (t) => {
    const { waking, woken } = await start(t);
    const [first, second] = [await counting(woken, 'shared'), await counting(woken, 'shared')];
    await first.heardFrom(waking);
    await first.unlisten();
    const before = first.count();
    await second.heardFrom(waking);
    t.is(first.count(), before);
    await second.unlisten();
    const again = await counting(woken, 'shared');
    await again.heardFrom(waking);
  });
}

if (hasNatsServer) {
  test.serial(
    'wakes listeners by the database while NATS is unreachable, and makes all poll once when it is reachable again',
    async (t) => {
      const server = await natsServer(t);
      const gateway = natsGateway(t, server.port);
      const own = await counting(gateway.wakeUps, 'own');
      await gateway.untilLogged('notifications between gateways use NATS');
      await server.stop();
      await gateway.untilLogged('was lost');
      await gateway.wakeUps.wake('own');
      t.deepEqual(gateway.database.woken, ['own']);
      const before = own.count();
      await natsServer(t, { port: server.port });
      await gateway.untilLogged('was restored');
      t.is(own.count(), before + 1);
      await own.heardFrom(gateway.wakeUps);
      t.is(gateway.database.woken.length, 1);
    },
  );

  test.serial('starts without NATS and connects later', async (t) => {
    const server = await natsServer(t);
    await server.stop();
    const gateway = natsGateway(t, server.port);
    const own = await counting(gateway.wakeUps, 'own');
    await gateway.untilLogged('NATS is unreachable');
    await gateway.wakeUps.wake('own');
    t.deepEqual(gateway.database.woken, ['own']);
    await natsServer(t, { port: server.port });
    await until('it is connected', () => {
      gateway.clock.advance(100);
      return (
        gateway.logged.some((line) => line.includes('notifications between gateways use NATS')) || undefined
      );
    });
    t.true(own.count() > 0);
  });

  test.serial(
    'accepts a NATS connection with a valid token, not with a wrong one, and logs no token',
    async (t) => {
      const { port } = await natsServer(t, { token: 'right-token' });
      const [right, wrong] = [natsGateway(t, port, 'right-token'), natsGateway(t, port, 'wrong-token')];
      await right.untilLogged('notifications between gateways use NATS');
      await wrong.untilLogged('NATS is unreachable');
      t.notRegex([...right.logged, ...wrong.logged].join('\n'), /(right|wrong)-token/);
    },
  );

  test.serial(
    'releases all connections of a gateway that is closed during or after connecting',
    async (t) => {
      const { port } = await natsServer(t);
      const early = natsGateway(t, port);
      await early.wakeUps.close();
      const late = natsGateway(t, port);
      await late.untilLogged('notifications between gateways use NATS');
      await late.wakeUps.close();
      t.is(early.clock.pending(), 0);
      t.is(late.clock.pending(), 0);
    },
  );
} else {
  test.serial.skip(`wakes another gateway by a real NATS server${skippedWithout('nats-server')}`, (t) =>
    t.pass(),
  );
}

test.serial('polls at intervals when no wake-up arrives', async (t) => {
  const gateway = natsGateway(t, 1);
  const own = await counting(gateway.wakeUps, 'own');
  gateway.clock.advance(180_000);
  t.is(own.count(), 3);
});
