/** A taking whose answer is lost: what was taken is gone on with, once, and nothing else is. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createTaking } from '#src/calls/recovery/taking.ts';
import type { Database } from '#src/persistence/database.ts';
import { takeHandedOver } from '#src/persistence/held-calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

const lostConnection = (): Error => new Error('Connection terminated unexpectedly');

/** A gateway to which two calls are handed over, on a connection that does `then` after the taking. */
const world = async (then: (database: Database) => Database['transaction']) => {
  const database = await testDatabase();
  const owner = await storedNumber(database);
  const from = randomUUID();
  const callIds = [
    await storedCall(database, owner, { node: from }),
    await storedCall(database, owner, { node: from }),
  ].sort();
  const wentOn: string[][] = [];
  let fails = 0;
  const taking = createTaking({
    database: {
      ...database,
      run: (query) => (fails-- > 0 ? Promise.reject(lostConnection()) : database.run(query)),
    },
    goOn: async (calls) => void wentOn.push(calls.map(({ id }) => id).sort()),
  });
  const transaction = then(database);
  return {
    ...taking,
    callIds,
    wentOn,
    /** So many of the statements that follow are not answered. */
    failNext: (times: number) => (fails = times),
    take: () => taking.take(() => takeHandedOver({ transaction }, { from, by: randomUUID(), callIds })),
  };
};

/** The server has committed it. */
const answerIsLost =
  (database: Database): Database['transaction'] =>
  async (work) => {
    await database.transaction(work);
    throw lostConnection();
  };

/** The server hears of no commit. */
const commitIsLost =
  (database: Database): Database['transaction'] =>
  (work) =>
    database.transaction(async (statements) => {
      await work(statements);
      throw lostConnection();
    });

test('calls that were taken are gone on with though the answer is lost', async (t) => {
  const { take, settleDoubts, wentOn, callIds } = await world(answerIsLost);
  await take();
  await settleDoubts();
  t.deepEqual(wentOn, [callIds]);
});

test('while the database is away nobody knows; afterwards they are gone on with, once', async (t) => {
  const { take, settleDoubts, wentOn, callIds, failNext } = await world(answerIsLost);
  failNext(2);
  await t.throwsAsync(take(), { message: /Connection terminated/ });
  await t.throwsAsync(settleDoubts(), { message: /Connection terminated/ });
  t.deepEqual(wentOn, []);
  await Promise.all([settleDoubts(), settleDoubts()]);
  await settleDoubts();
  t.deepEqual(wentOn, [callIds]);
});

test('calls that were not taken are left to whoever takes them', async (t) => {
  const { take, wentOn } = await world(commitIsLost);
  await take();
  t.deepEqual(wentOn, [[]]);
});
