/** The nodes of a cluster: how gateways are watched and judged. */
import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createNodeJudge, numbersWithoutLines } from '#src/cluster/judge-nodes.ts';
import { createNodeWatch } from '#src/cluster/node-watch.ts';
import type { Database } from '#src/persistence/database.ts';
import type { OtherNode } from '#src/persistence/nodes.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { callBirth, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

// Judge nodes

const judgedNumbers = { looksWithoutSession: 3, looksOfLease: 10, looksOfLost: 0 };

const other = (changes: Partial<OtherNode> = {}): OtherNode => ({
  name: 'other',
  instance: 'first',
  seenAt: new Date(1_000),
  isLost: false,
  hasSession: true,
  ...changes,
});

/** How many looks it takes until the other is dead; `undefined` when it lives through all of them. */
const looksUntilDead = (nodes: readonly OtherNode[], by = judgedNumbers): number | undefined => {
  const judge = createNodeJudge(by);
  const index = nodes.findIndex((node) => judge.look([node]).length > 0);
  return index === -1 ? undefined : index + 1;
};

const looks = (count: number, node: (index: number) => Partial<OtherNode>): OtherNode[] =>
  Array.from({ length: count }, (_, index) => other(node(index)));

test('one whose session is gone is dead after three looks that show the same', (t) => {
  t.is(looksUntilDead(looks(8, () => ({ hasSession: false }))), 4);
});

test('one that renews its row lives, with or without a session', (t) => {
  t.is(looksUntilDead(looks(40, (index) => ({ hasSession: false, seenAt: new Date(index) }))), undefined);
});

test('one whose session comes back lives, although it was gone for two looks', (t) => {
  t.is(looksUntilDead(looks(9, (index) => ({ hasSession: index % 3 === 2 }))), undefined);
});

test('one with a session that says nothing is dead when its lease is over', (t) => {
  t.is(looksUntilDead(looks(12, () => ({}))), 11);
});

test('one that was started anew is another one', (t) => {
  t.is(
    looksUntilDead(looks(9, (index) => ({ hasSession: false, instance: `run ${index >> 1}` }))),
    undefined,
  );
});

test('one that was found dead before stays so for everybody', (t) => {
  t.is(looksUntilDead([other({ isLost: true })]), 1);
});

test('a gateway without lines leaves a dead one to others for as long as a lease lasts', (t) => {
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

test('whoever saw nothing for a while begins to count anew: an old row is no dead gateway', (t) => {
  const judge = createNodeJudge(judgedNumbers);
  const silent = other({ hasSession: false });
  for (let round = 0; round < 5; round += 1) {
    for (let look = 0; look < 3; look += 1) t.deepEqual(judge.look([silent]), []);
    judge.blink();
  }
});

// Node watch

const watchedNumbers = {
  beatMs: 1_000,
  looksWithoutSession: 3,
  looksOfLease: 10,
  looksOfLost: 0,
  claimMs: 60_000,
};

/** A gateway whose looks the test makes happen; it has no session of its own, as if its connection was gone. */
const watching = (
  database: Database,
  node: string,
  cleanUps: (cleaned: string) => Promise<void> = async () => {},
) => {
  const seen = { cleaned: [] as string[], lost: 0 };
  let next: (() => void) | null = null;
  const watch = createNodeWatch({
    database,
    node,
    numbers: watchedNumbers,
    clock: {
      now: Date.now,
      setTimeout: (callback) => (next = callback),
      clearTimeout: () => (next = null),
    },
    steadyClock: { now: Date.now },
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
          atEachLook: async () => {},
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

test.serial('of two gateways that find a third dead one cleans up, once', async (t) => {
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

/** The looks in which a clean-up is tried that fails so many times. */
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

test.serial('a clean-up that fails is done again at the next look', async (t) => {
  t.is(await triesOf(t, 2), 3);
});

test.serial(
  'a clean-up that fails again and again is given up, and the dead gateway forgotten',
  async (t) => {
    t.is(await triesOf(t, Infinity), 10);
  },
);

test.serial('a dead gateway stays known until the last of its calls has ended', async (t) => {
  const { database, names } = await nodeWatchWorld(t);
  const owner = await storedNumber(database);
  const callId = await storedCall(database, owner, callBirth(owner, { node: names.dead }));
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

test.serial(
  'one that was found dead and lives learns it, lets go of its calls once, and begins anew',
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

test.serial('one that is being cleaned up and lives learns it as well', async (t) => {
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

test.serial('one that starts again before it is cleaned up is left alone', async (t) => {
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
