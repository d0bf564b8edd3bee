/** The nodes of a cluster: how gateways are watched and judged. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createNodeJudge, numbersWithoutLines } from '#src/continuity/nodes/judge-nodes.ts';
import { createMembership } from '#src/continuity/nodes/membership.ts';
import { createNodeWatch } from '#src/continuity/nodes/node-watch.ts';
import type { SharedLines } from '#src/continuity/nodes/sudden-deaths.ts';
import { CallsLost, createFreezeFence, type FreezeFence } from '#src/domain/fence.ts';
import { DatabaseAway } from '#src/persistence/database/connection-errors.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  nodesWithoutConnections,
  type LeavesToOthers,
  type OtherNode,
} from '#src/persistence/nodes/nodes.ts';
import { isLockAwaited } from '#test/helpers/database-statement.ts';
import { openTestDatabase, ownDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';
import { newCallRow, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

// Detection of dead nodes

const judgedNumbers = { looksWithoutSession: 3, looksOfLease: 10, looksOfLost: 0 };

const other = (changes: Partial<OtherNode> = {}): OtherNode => ({
  name: 'other',
  instance: 'first',
  seenAt: new Date(1_000),
  isLost: false,
  hasSession: true,
  takesLines: null,
  ...changes,
});

/** Number of checks until the other is dead; `undefined` if it survives all of them. */
const looksUntilDead = (nodes: readonly OtherNode[], by = judgedNumbers): number | undefined => {
  const judge = createNodeJudge(by);
  const index = nodes.findIndex((node) => judge.look([node]).length > 0);
  return index === -1 ? undefined : index + 1;
};

const looks = (count: number, node: (index: number) => Partial<OtherNode>): OtherNode[] =>
  Array.from({ length: count }, (_, index) => other(node(index)));

test('declares a node without a session dead after three checks without change', (t) => {
  t.is(looksUntilDead(looks(8, () => ({ hasSession: false }))), 4);
});

test('treats a node that renews its row as alive, with or without a session', (t) => {
  t.is(looksUntilDead(looks(40, (index) => ({ hasSession: false, seenAt: new Date(index) }))), undefined);
});

test('treats a node whose session returns after two checks as alive', (t) => {
  t.is(looksUntilDead(looks(9, (index) => ({ hasSession: index % 3 === 2 }))), undefined);
});

test('declares a node with a session dead when its lease ends', (t) => {
  t.is(looksUntilDead(looks(12, () => ({}))), 11);
});

test('treats a restarted node as a new one', (t) => {
  t.is(
    looksUntilDead(looks(9, (index) => ({ hasSession: false, instance: `run ${index >> 1}` }))),
    undefined,
  );
});

test('reports a node that another gateway declared dead to all gateways', (t) => {
  t.is(looksUntilDead([other({ isLost: true })]), 1);
});

test('without lines, leaves a dead node to other gateways for one lease', (t) => {
  const patient = numbersWithoutLines(judgedNumbers);
  t.is(
    looksUntilDead(
      looks(12, () => ({ hasSession: false })),
      patient,
    ),
    11,
  );
  t.is(
    looksUntilDead(
      looks(12, () => ({ hasSession: false, isLost: true })),
      patient,
    ),
    11,
  );
});

test('restarts the count of checks after a failed one, so that an old row is not a dead gateway', (t) => {
  const judge = createNodeJudge(judgedNumbers);
  const silent = other({ hasSession: false });
  for (let round = 0; round < 5; round += 1) {
    for (let look = 0; look < 3; look += 1) t.deepEqual(judge.look([silent]), []);
    judge.blink();
  }
});

// Freezes of this process

const fenceAt = () => {
  const seen = { now: 0, freezes: [] as number[], decided: [] as boolean[] };
  const fence = createFreezeFence({ now: () => seen.now }, 7_500, (gapMs) => seen.freezes.push(gapMs));
  fence.onDecided((areHeld) => seen.decided.push(areHeld));
  return { fence, seen };
};

test('the freeze fence stays open while ticks arrive without a long gap', async (t) => {
  const { fence, seen } = fenceAt();
  for (let ticks = 0; ticks < 100; ticks += 1) {
    seen.now += 7_000;
    fence.tick();
  }
  t.true(fence.isOpen());
  await t.notThrowsAsync(fence.pass());
  t.is(fence.ask().decide(true), 'decided');
  t.deepEqual(seen, { now: 700_000, freezes: [], decided: [] });
});

test('a gap between ticks closes the freeze fence before the next command, until the node is renewed after the gap', async (t) => {
  const { fence, seen } = fenceAt();
  const early = fence.ask();
  seen.now += 60_000;
  t.false(fence.isOpen());
  let passed = false;
  const passing = fence.pass().then(() => (passed = true));
  fence.tick();
  t.is(early.decide(true), 'ask again', 'the renewal may have been made before the freeze');
  await Promise.resolve();
  t.false(passed);
  t.false(fence.isOpen());
  t.is(fence.ask().decide(true), 'decided');
  await passing;
  t.true(fence.isOpen());
  t.deepEqual(seen, { now: 60_000, freezes: [60_000], decided: [true] });
});

test('rejects commands of calls that another gateway took over during a freeze', async (t) => {
  const { fence, seen } = fenceAt();
  seen.now += 60_000;
  const passing = t.throwsAsync(fence.pass(), { instanceOf: CallsLost });
  t.is(fence.ask().decide(false), 'decided');
  await passing;
  t.true(fence.isOpen());
  t.deepEqual(seen.decided, [false]);
});

// Supervision of nodes

const watchedNumbers = {
  beatMs: 1_000,
  looksWithoutSession: 3,
  looksOfLease: 10,
  looksOfLost: 0,
  claimMs: 60_000,
  confirmMs: [],
};

const someCondition = { version: '0.1.0', load: { utilization: 0.5, memory: 0.25, delayMs: 2 } };

/** A gateway whose checks the test triggers; it has no session of its own, as after a lost connection. */
const watching = (
  database: Database,
  node: string,
  cleanUps: (cleaned: string) => Promise<void> = async () => {},
  fence: Pick<FreezeFence, 'ask'> = createFreezeFence({ now: () => 0 }, 1, () => {}),
  {
    shared = null,
    confirmMs = [],
    leaves = { form: 1, forMs: 3_600_000 },
  }: { shared?: SharedLines | null; confirmMs?: readonly number[]; leaves?: LeavesToOthers } = {},
) => {
  const seen = { cleaned: [] as string[], lost: 0, pendingHangups: [] as boolean[] };
  let next: (() => void) | null = null;
  const watch = createNodeWatch({
    database,
    node,
    shared,
    numbers: { ...watchedNumbers, confirmMs },
    leaves,
    clock: {
      now: Date.now,
      setTimeout: (callback, milliseconds) =>
        milliseconds < watchedNumbers.beatMs && milliseconds > 0
          ? setTimeout(callback, milliseconds)
          : (next = callback),
      clearTimeout: () => (next = null),
    },
    steadyClock: { now: Date.now },
    fence,
    logger: pino({ level: 'silent' }),
  });
  return {
    ...watch,
    open: () =>
      watch.open(
        {
          cleanUps: [
            {
              what: 'noting',
              async run(dead) {
                seen.cleaned.push(dead);
                await cleanUps(dead);
              },
            },
          ],
          onLost: () => (seen.lost += 1),
          condition: () => someCondition,
          atEachLook: async ({ hasPendingHangups }) => void seen.pendingHangups.push(hasPendingHangups),
        },
        { look: async () => {}, beginAnew: () => {} },
      ),
    seen,
    async look(times = 1): Promise<void> {
      for (let index = 0; index < times; index += 1) {
        const begin = next;
        next = null;
        begin?.();
        await until('it waits for its next look', () => next ?? undefined);
      }
    },
  };
};

const rowOf = async (database: Database, name: string): Promise<{ isLost: boolean } | undefined> => {
  const [row] = await database.execute<{ isLost: boolean }>(
    'select lost_at is not null as "isLost" from node where name = $1',
    [name],
  );
  return row;
};

const nodeWatchWorld = async (t: ExecutionContext) => {
  const database = await ownDatabase(t);
  const names = { dead: `dead-${randomUUID()}`, one: `one-${randomUUID()}`, two: `two-${randomUUID()}` };
  return { database, names };
};

test.serial('one of two gateways cleans up once after a dead third one', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  await watching(database, names.dead).join();
  const survivors = [watching(database, names.one), watching(database, names.two)];
  for (const survivor of survivors) {
    await survivor.join();
    survivor.open();
  }
  for (let look = 0; look < 8; look += 1) await Promise.all(survivors.map((survivor) => survivor.look()));
  await until('the row of the dead one is gone', async () =>
    (await rowOf(database, names.dead)) === undefined ? true : undefined,
  );
  t.deepEqual(
    survivors.flatMap(({ seen }) => seen.cleaned),
    [names.dead],
  );
  t.deepEqual(
    survivors.map(({ seen }) => seen.lost),
    [0, 0],
  );
  for (const survivor of survivors) await survivor.close();
  t.deepEqual(await database.execute('select 1 from node'), []);
});

test.serial('stores version and load of a gateway with each renewal of its registration', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const watch = watching(database, names.one);
  await watch.join();
  const stored = () => database.execute('select version, load from node where name = $1', [names.one]);
  t.deepEqual(await stored(), [{ version: null, load: null }]);
  watch.open();
  await watch.look();
  t.deepEqual(await stored(), [someCondition]);
  await watch.close();
});

/** The database, and the statements that it was asked to execute. */
const observed = (database: Database): { database: Database; statements: string[] } => {
  const statements: string[] = [];
  const execute = <Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
    statements.push(sql);
    return database.execute<Row>(sql, parameters);
  };
  return { database: { ...database, execute }, statements };
};

test.serial('a check renews the registration and reads the other gateways in one statement', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const { database: asked, statements } = observed(database);
  const watch = watching(asked, names.one);
  await watch.join();
  await watching(database, names.two).join();
  watch.open();
  await watch.look();
  statements.length = 0;
  await watch.look(2);
  t.is(statements.length, 2);
  t.is(new Set(statements).size, 1);
  await watch.close();
});

test.serial('reads the other gateways again after registering again', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const { database: asked, statements } = observed(database);
  const membership = createMembership({
    database: asked,
    node: names.one,
    fence: createFreezeFence({ now: () => 0 }, 1, () => {}),
    logger: pino({ level: 'silent' }),
  });
  await membership.join();
  await watching(database, names.two).join();
  await database.execute('update node set lost_at = now() where name = $1', [names.one]);
  statements.length = 0;
  const { others } = await membership.sayAlive();
  t.deepEqual(
    others.map(({ name }) => name),
    [names.two],
  );
  t.is(statements.length, 3);
  t.regex(statements[1] ?? '', /^insert/);
  await membership.leave();
});

test.serial('each check finds out whether calls of the gateway have stored hang-ups', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const owner = await storedNumber(database);
  const [own, foreign] = [names.one, names.two].map((node) =>
    storedCall(database, owner, newCallRow(owner, { node })),
  );
  for (const [callId, node] of [
    [await own, names.one],
    [await foreign, names.two],
  ])
    await database.execute(
      `insert into call_checkpoint (call_id, node, form, settings) values ($1, $2, 1, '{}')`,
      [callId, node],
    );
  const store = (node: string) =>
    database.execute(`update call_checkpoint set pending_hangup = 'hangup' where node = $1`, [node]);
  const watch = watching(database, names.one);
  await watch.join();
  watch.open();
  await watch.look();
  await store(names.two);
  await watch.look();
  await store(names.one);
  await watch.look();
  t.deepEqual(watch.seen.pendingHangups, [false, false, true]);
  await database.execute('update call set ended_at = now()');
  await watch.close();
});

test.serial('publishes its address with the next renewal if the database was unavailable', async (t) => {
  const told: unknown[] = [];
  let isAway = true;
  const membership = createMembership({
    database: scriptedDatabase(async (sql, parameters) => {
      if (!sql.includes('"address"')) return [{ name: 'one', isRenewed: true, hasPendingHangups: false }];
      if (isAway) throw new DatabaseAway();
      told.push(parameters[0]);
      return [];
    }),
    node: 'one',
    fence: createFreezeFence({ now: () => 0 }, 1, () => {}),
    logger: pino({ level: 'silent' }),
  });
  await membership.tellAddress('http://192.0.2.1:8080');
  await t.throwsAsync(membership.sayAlive(), { instanceOf: DatabaseAway });
  isAway = false;
  await membership.sayAlive();
  await membership.sayAlive();
  t.deepEqual(told, ['http://192.0.2.1:8080']);
});

/**
 * Returns the numbers of the checks in which a gateway tries to clean up after a dead one, if the first `failures`
 * attempts fail.
 */
const triesOf = async (t: ExecutionContext, failures: number): Promise<number> => {
  const { database, names } = await nodeWatchWorld(t);
  await watching(database, names.dead).join();
  const survivor = watching(database, names.one, () =>
    survivor.seen.cleaned.length > failures
      ? Promise.resolve()
      : Promise.reject(new Error('This cannot be done')),
  );
  await survivor.join();
  survivor.open();
  await until('it is cleaned up', async () => {
    await survivor.look();
    return (await rowOf(database, names.dead)) === undefined ? true : undefined;
  });
  await survivor.look(3);
  await survivor.close();
  return survivor.seen.cleaned.length;
};

test.serial('retries a failed clean-up at the next check', async (t) => {
  t.is(await triesOf(t, 2), 3);
});

test.serial('stops retrying a clean-up that fails repeatedly, and forgets the dead gateway', async (t) => {
  t.is(await triesOf(t, Infinity), 10);
});

test.serial('keeps a dead node registered until its last call has ended', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const owner = await storedNumber(database);
  const callId = await storedCall(database, owner, newCallRow(owner, { node: names.dead }));
  await watching(database, names.dead).join();
  const survivor = watching(database, names.one);
  await survivor.join();
  survivor.open();
  await survivor.look(8);
  await until('it is cleaned up', () => (survivor.seen.cleaned.length > 0 ? true : undefined));
  await survivor.look(2);
  t.deepEqual(await rowOf(database, names.dead), { isLost: true });
  await database.execute(`update call set status = 'failed', ended_at = now() where id = $1`, [callId]);
  await until('the row of the dead one is gone', async () => {
    await survivor.look();
    return (await rowOf(database, names.dead)) === undefined ? true : undefined;
  });
  t.deepEqual(survivor.seen.cleaned, [names.dead]);
  await survivor.close();
});

/** A dead gateway with a call, and one that watches it and reads checkpoints of the given formats. */
const deadWithCall = async (t: ExecutionContext, reads: number) => {
  const { database, names } = await nodeWatchWorld(t);
  const owner = await storedNumber(database);
  const callId = await storedCall(database, owner, newCallRow(owner, { node: names.dead }));
  await database.queries
    .insertInto('CallCheckpoint')
    .values({ callId, node: names.dead, form: 1, settings: {} })
    .execute();
  await watching(database, names.dead).join();
  const leaves = { form: reads, forMs: 3_600_000 };
  const survivor = watching(database, names.one, undefined, undefined, { leaves });
  await survivor.join();
  survivor.open();
  t.teardown(survivor.close);
  const answer = () => database.execute('update call set answered_at = now() where id = $1', [callId]);
  return { database, names, survivor, answer };
};

test.serial(
  'leaves answered calls that another gateway can resume to it, as long as their far ends wait',
  async (t) => {
    const { database, names, survivor, answer } = await deadWithCall(t, 0);
    await answer();
    await survivor.look(8);
    t.deepEqual(survivor.seen.cleaned, []);
    t.deepEqual(await rowOf(database, names.dead), { isLost: false });
    await database.execute(`update node set seen_at = seen_at - interval '2 hours' where name = $1`, [
      names.dead,
    ]);
    await survivor.look(8);
    await until('it is cleaned up', () => survivor.seen.cleaned.length > 0 || undefined);
    t.deepEqual(survivor.seen.cleaned, [names.dead]);
  },
);

test.serial('cleans up at once if it can resume the calls, or if no gateway can', async (t) => {
  for (const reads of [0, 1]) {
    const { names, survivor, answer } = await deadWithCall(t, reads);
    if (reads === 1) await answer();
    await survivor.look(8);
    await until('it is cleaned up', () => survivor.seen.cleaned.length > 0 || undefined);
    t.deepEqual(survivor.seen.cleaned, [names.dead]);
  }
});

test.serial(
  'a live gateway that was declared dead releases its calls once and registers again',
  async (t) => {
    const { database, names } = await nodeWatchWorld(t);
    const cutOff = watching(database, names.dead);
    await cutOff.join();
    const survivor = watching(database, names.one);
    await survivor.join();
    survivor.open();
    await survivor.look(6);
    await until('it is cleaned up', () => (survivor.seen.cleaned.length > 0 ? true : undefined));
    cutOff.open();
    await cutOff.look(3);
    t.is(cutOff.seen.lost, 1);
    t.deepEqual(await rowOf(database, names.dead), { isLost: false });
    await cutOff.close();
    await survivor.close();
  },
);

test.serial('notifies a live node that it is being cleaned up', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const cutOff = watching(database, names.dead);
  await cutOff.join();
  await database.execute('update node set lost_at = now() where name = $1', [names.dead]);
  cutOff.open();
  await cutOff.look(2);
  t.is(cutOff.seen.lost, 1);
  t.deepEqual(await rowOf(database, names.dead), { isLost: false });
  await cutOff.close();
});

test.serial('skips the clean-up of a node that has started again', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  await watching(database, names.dead).join();
  const survivor = watching(database, names.one);
  await survivor.join();
  survivor.open();
  await survivor.look(3);
  await watching(database, names.dead).join();
  await survivor.look(2);
  t.deepEqual(survivor.seen.cleaned, []);
  t.deepEqual(await rowOf(database, names.dead), { isLost: false });
  await survivor.close();
});

// Sudden deaths

const lines = 'the same lines';

/** A gateway with its own connections, and another one that looks only when the test says so. */
const suddenWorld = async (
  t: ExecutionContext,
  { reportedBy, takesLines = lines }: { reportedBy: SharedLines['reportedBy']; takesLines?: string },
) => {
  const url = await testDatabaseUrl(t);
  const doomedDatabase = await openTestDatabase(t, url, 'doomed');
  const database = await openTestDatabase(t, url, 'survivor');
  const doomed = watching(doomedDatabase, 'doomed');
  await doomed.join();
  await doomed.tellTakes({ lines: takesLines, form: 1 });
  const waits: boolean[] = [];
  const observed: Database = {
    ...database,
    async awaitSessionEnd(node, aborted) {
      const hasEnded = await database.awaitSessionEnd(node, aborted);
      waits.push(hasEnded);
      return hasEnded;
    },
  };
  const survivor = watching(observed, 'survivor', undefined, undefined, {
    shared: { lines, reportedBy, checks: 'one' },
    confirmMs: [20, 50, 100, 200, 400],
  });
  await survivor.join();
  survivor.open();
  const isAwaited = async (): Promise<true | undefined> => (await isLockAwaited(database)) || undefined;
  return {
    url,
    database,
    doomedDatabase,
    survivor,
    waits,
    isAwaited,
    untilCleaned: () =>
      until('it is cleaned up', () => (survivor.seen.cleaned.includes('doomed') ? true : undefined)),
  };
};

test.serial(
  'starts the clean-up of a gateway without another check when all its database connections end',
  async (t) => {
    const { survivor, doomedDatabase, isAwaited, untilCleaned } = await suddenWorld(t, {
      reportedBy: 'database',
    });
    await survivor.look();
    await until('the session is awaited', isAwaited);
    await doomedDatabase.close();
    await untilCleaned();
    t.deepEqual(survivor.seen.cleaned, ['doomed']);
    await survivor.close();
  },
);

test.serial('starts the clean-up of gateways that die together without another check', async (t) => {
  const { url, survivor, doomedDatabase, isAwaited } = await suddenWorld(t, { reportedBy: 'database' });
  const otherDatabase = await openTestDatabase(t, url, 'doomed as well');
  const other = watching(otherDatabase, 'doomed as well');
  await other.join();
  await other.tellTakes({ lines, form: 1 });
  await survivor.look();
  await until('the session is awaited', isAwaited);
  await Promise.all([doomedDatabase.close(), otherDatabase.close()]);
  await until('both are cleaned up', () => (survivor.seen.cleaned.length > 1 ? true : undefined));
  t.deepEqual(survivor.seen.cleaned.toSorted(), ['doomed', 'doomed as well']);
  await survivor.close();
});

/** A registered gateway without connections, and a gateway that starts. */
const startingWorld = async (t: ExecutionContext, confirmMs: readonly number[]) => {
  const url = await testDatabaseUrl(t);
  const doomedDatabase = await openTestDatabase(t, url, 'doomed');
  const doomed = watching(doomedDatabase, 'doomed');
  await doomed.join();
  await doomed.tellTakes({ lines, form: 1 });
  const database = await openTestDatabase(t, url, 'survivor');
  await doomedDatabase.close();
  await until('its connections have ended', async () =>
    (await nodesWithoutConnections(database, ['doomed'])).length > 0 ? true : undefined,
  );
  const checks = { count: 0, between: async (): Promise<void> => {} };
  const observed: Database = {
    ...database,
    async execute<Row>(sql: string, parameters?: readonly unknown[]) {
      const rows = await database.execute<Row>(sql, parameters);
      if (sql.includes('pg_stat_activity')) {
        checks.count += 1;
        await checks.between();
      }
      return rows;
    },
  };
  const shared = { lines, reportedBy: 'database', checks: 'one' } as const;
  const survivor = watching(observed, 'survivor', undefined, undefined, { shared, confirmMs });
  await survivor.join();
  survivor.open();
  return { url, survivor, checks };
};

test.serial('a starting gateway cleans up after one without connections at its first check', async (t) => {
  const { survivor } = await startingWorld(t, [5, 10]);
  await survivor.look();
  await until('it is cleaned up', () => (survivor.seen.cleaned.length > 0 ? true : undefined));
  t.deepEqual(survivor.seen.cleaned, ['doomed']);
  await survivor.close();
});

test.serial('a starting gateway treats one that reconnects to the database as alive', async (t) => {
  const { url, survivor, checks } = await startingWorld(t, [5, 10]);
  checks.between = async () => {
    if (checks.count === 1) await openTestDatabase(t, url, 'doomed');
  };
  await survivor.look();
  await until('it is checked again', () => (checks.count > 1 ? true : undefined));
  await survivor.look(2);
  t.deepEqual(survivor.seen.cleaned, []);
  await survivor.close();
});

test.serial('treats a gateway that loses its session but keeps other connections as alive', async (t) => {
  const { survivor, database, doomedDatabase, isAwaited, waits } = await suddenWorld(t, {
    reportedBy: 'database',
  });
  await doomedDatabase.ping();
  await survivor.look();
  await until('the session is awaited', isAwaited);
  await database.execute(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
     and pid in (select pid from pg_stat_activity
       where datname = current_database() and application_name = 'trunkline doomed')`,
  );
  await until('its end is noticed', () => (waits.includes(true) ? true : undefined));
  await survivor.look(2);
  t.deepEqual(survivor.seen.cleaned, []);
  await survivor.close();
});

test.serial('leaves a gateway with other lines to the periodic checks', async (t) => {
  const { survivor, database, doomedDatabase } = await suddenWorld(t, {
    reportedBy: 'relay',
    takesLines: 'other lines',
  });
  await survivor.look();
  await doomedDatabase.close();
  await until('its connections have ended', async () =>
    (await nodesWithoutConnections(database, ['doomed'])).length === 0 ? undefined : true,
  );
  survivor.leftRelay('doomed');
  await survivor.look(2);
  t.deepEqual(survivor.seen.cleaned, []);
  await survivor.close();
});

test.serial('treats a gateway that lost only its connection to the relay as alive', async (t) => {
  const { survivor, doomedDatabase, untilCleaned } = await suddenWorld(t, { reportedBy: 'relay' });
  survivor.leftRelay('doomed');
  await survivor.look(2);
  t.deepEqual(survivor.seen.cleaned, []);
  await doomedDatabase.close();
  survivor.leftRelay('doomed');
  await untilCleaned();
  await survivor.close();
});

test.serial('judges a gateway that the relay reports during its own start after that start', async (t) => {
  const database = await ownDatabase(t);
  const doomed = watching(database, 'doomed');
  await doomed.join();
  await doomed.tellTakes({ lines, form: 1 });
  const survivor = watching(database, 'survivor', undefined, undefined, {
    shared: { lines, reportedBy: 'relay', checks: 'one' },
  });
  await survivor.join();
  survivor.leftRelay('doomed');
  t.deepEqual(survivor.seen.cleaned, []);
  survivor.open();
  await until('it is cleaned up', () => (survivor.seen.cleaned.length > 0 ? true : undefined));
  await survivor.close();
});

test.serial('does not wait for the end of a session that does not exist', async (t) => {
  const database = await ownDatabase(t);
  t.false(await database.awaitSessionEnd('nobody', new AbortController().signal));
});

test.serial('stops waiting for the end of a session when the signal aborts', async (t) => {
  const database = await ownDatabase(t);
  const waiting = new AbortController();
  const wait = t.throwsAsync(database.awaitSessionEnd('test', waiting.signal));
  await until('the session is awaited', async () => (await isLockAwaited(database)) || undefined);
  waiting.abort();
  await wait;
});
