import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { createKnownKeys } from '#src/calls/live/known-keys.ts';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import { DatabaseAway } from '#src/persistence/connection-errors.ts';
import { putNumberKey } from '#src/persistence/number-keys.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';

const everyMs = 5_000;

/** A number with a key and a call in progress, and a database that can be away. */
const createWorld = async (t: ExecutionContext) => {
  const database = await testDatabase(t);
  const { numberId, workspaceId } = await storedNumber(database);
  const liveCalls = createLiveCalls();
  const clock = new SimulatedClock();
  const asked: string[] = [];
  let isAway = false;
  const known = createKnownKeys({
    database: scriptedStatements(async (sql, parameters) => {
      asked.push(sql);
      if (isAway) throw new DatabaseAway();
      return database.execute(sql, parameters);
    }),
    liveCalls,
    everyMs,
    clock,
    logger: pino({ level: 'silent' }),
  });
  t.teardown(known.close);
  const issueKey = async (): Promise<Buffer> => {
    const keyHash = randomBytes(32);
    await putNumberKey(database, { numberId, keyHash, keySealed: 'sealed', issuedAt: new Date() });
    return keyHash;
  };
  return {
    known,
    asked,
    issueKey,
    numberId,
    goAway: () => (isAway = true),
    async begin(callId = 'a-call') {
      liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'active' });
      known.begin(numberId);
      await known.settled();
    },
    end: () => liveCalls.remove('a-call'),
    async pass() {
      clock.increment(everyMs);
      await known.settled();
    },
  };
};

test('the key of a call in progress is known without the database, until the call is over', async (t) => {
  const { known, asked, issueKey, numberId, goAway, begin, end } = await createWorld(t);
  const key = await issueKey();
  t.is(known.find([key]), undefined, 'nothing is kept of a number without a call');
  await begin();
  goAway();
  const questions = asked.length;
  t.is(known.find([randomBytes(32), key])?.id, numberId);
  t.is(known.find([randomBytes(32)]), undefined);
  t.is(asked.length, questions);
  end();
  t.is(known.find([key]), undefined);
});

test('a key that was replaced is forgotten while the database is there to say so', async (t) => {
  const { known, issueKey, numberId, begin, pass } = await createWorld(t);
  const old = await issueKey();
  await begin();
  t.is(known.find([old])?.id, numberId);
  const fresh = await issueKey();
  await pass();
  t.is(known.find([old]), undefined);
  t.is(known.find([fresh])?.id, numberId);
});

test('what was known stays while the database is away', async (t) => {
  const { known, issueKey, numberId, goAway, begin, pass } = await createWorld(t);
  const key = await issueKey();
  await begin();
  goAway();
  await pass();
  await pass();
  t.is(known.find([key])?.id, numberId);
});

test('further calls of a number cost no further question', async (t) => {
  const { asked, issueKey, begin } = await createWorld(t);
  await issueKey();
  await begin('one');
  for (const callId of ['two', 'three', 'four']) await begin(callId);
  t.is(asked.length, 1);
});
