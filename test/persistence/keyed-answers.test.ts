import test from 'ava';
import { createCallInsertion, findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { findKeyedAnswer, deleteExpiredAnswers, type KeyedAnswer } from '#src/persistence/keyed-answers.ts';
import { ownDatabase, testDatabase } from '#test/helpers/database.ts';
import { callBirth, storedNumber, type StoredNumber } from '#test/helpers/stored-number.ts';

const keyedAnswer: KeyedAnswer = {
  key: 'same key',
  fingerprint: Buffer.from('one body'),
  responseStatus: 201,
  responseBody: '{ "call_id":\t"…" }\n',
};

const newNumber = async (): Promise<{ db: Database; owner: StoredNumber }> => {
  const db = await testDatabase();
  return { db, owner: await storedNumber(db) };
};

const callsOf = async (db: Database, { numberId }: StoredNumber): Promise<string[]> =>
  (await db.execute<{ id: string }>('select id from call where number_id = $1', [numberId])).map(
    ({ id }) => id,
  );

const makeOlder = async (db: Database, { numberId }: StoredNumber, interval: string): Promise<void> => {
  await db.execute(
    'update idempotency_record set created_at = created_at - $2::interval where number_id = $1',
    [numberId, interval],
  );
};

test('the answer is stored with its call, to the byte', async (t) => {
  const { db, owner } = await newNumber();
  const { numberId } = owner;
  t.is(await findKeyedAnswer(db, { numberId, key: keyedAnswer.key }), undefined);
  const birth = callBirth(owner, { keyedAnswer });
  t.true(await createCallInsertion(db)(birth));
  t.deepEqual(await findKeyedAnswer(db, { numberId, key: keyedAnswer.key }), keyedAnswer);
  t.is((await findCall(db, { callId: birth.id, numberId }))?.status, 'ringing');
});

test('a key that has placed a call places no other, and what is born beside it is born', async (t) => {
  const { db, owner } = await newNumber();
  const insert = createCallInsertion(db);
  const first = callBirth(owner, { keyedAnswer });
  t.true(await insert(first));
  const [again, other, keyless] = [
    callBirth(owner, { keyedAnswer: { ...keyedAnswer, responseBody: 'another' } }),
    callBirth(owner, { keyedAnswer: { ...keyedAnswer, key: 'same kez' } }),
    callBirth(owner),
  ];
  t.deepEqual(await Promise.all([again, other, keyless].map((birth) => insert(birth))), [false, true, true]);
  t.deepEqual((await callsOf(db, owner)).toSorted(), [first.id, other.id, keyless.id].toSorted());
  t.deepEqual(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), keyedAnswer);
  const events = await db.execute('select 1 from event where number_id = $1', [owner.numberId]);
  t.is(events.length, 3);
});

test('of two births with one key in one statement one is born', async (t) => {
  const { db, owner } = await newNumber();
  const insert = createCallInsertion(db);
  const births = [1, 2].map(() => callBirth(owner, { keyedAnswer }));
  const born = await Promise.all(births.map((birth) => insert(birth)));
  t.is(born.filter(Boolean).length, 1);
  t.is((await callsOf(db, owner)).length, 1);
});

test('of many gateways that are asked at once one places the call', async (t) => {
  const { db, owner } = await newNumber();
  const born = await Promise.all(
    Array.from({ length: 8 }, () => createCallInsertion(db)(callBirth(owner, { keyedAnswer }))),
  );
  t.is(born.filter(Boolean).length, 1);
  t.is((await callsOf(db, owner)).length, 1);
});

test('a key means nothing to another number', async (t) => {
  const { db, owner } = await newNumber();
  const stranger = await storedNumber(db);
  const insert = createCallInsertion(db);
  t.true(await insert(callBirth(owner, { keyedAnswer })));
  t.is(await findKeyedAnswer(db, { numberId: stranger.numberId, key: keyedAnswer.key }), undefined);
  t.true(await insert(callBirth(stranger, { keyedAnswer })));
});

test('a call that cannot be stored spends no key', async (t) => {
  const { db, owner } = await newNumber();
  const impossible = callBirth(owner, { keyedAnswer, workspaceId: owner.numberId });
  await t.throwsAsync(createCallInsertion(db)(impossible));
  t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
  t.true(await createCallInsertion(db)(callBirth(owner, { keyedAnswer })));
});

const never = Promise.withResolvers<never>().promise;

test('a process that dies before the statement has left neither call nor key', async (t) => {
  const { db, owner } = await newNumber();
  const dying: Database = { ...db, run: () => never };
  void createCallInsertion(dying)(callBirth(owner, { keyedAnswer }));
  await new Promise(setImmediate);
  t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
  t.deepEqual(await callsOf(db, owner), []);
});

test('a process that dies in the midst of the transaction has left neither call nor key', async (t) => {
  const db = await ownDatabase(t);
  const owner = await storedNumber(db);
  // What was done when the process dies is undone by the server, as by any error.
  await db.execute('alter table event add constraint no_more check (false) not valid');
  const error = await t.throwsAsync(createCallInsertion(db)(callBirth(owner, { keyedAnswer })));
  t.regex(error.message, /no_more/);
  t.is(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), undefined);
  t.deepEqual(await callsOf(db, owner), []);
});

test('a process that dies right after the commit has left both', async (t) => {
  const { db, owner } = await newNumber();
  const committed = Promise.withResolvers<void>();
  const dying: Database = {
    ...db,
    async run(query) {
      await db.run(query);
      committed.resolve();
      return never;
    },
  };
  const birth = callBirth(owner, { keyedAnswer });
  void createCallInsertion(dying)(birth);
  await committed.promise;
  t.deepEqual(await findKeyedAnswer(db, { numberId: owner.numberId, key: keyedAnswer.key }), keyedAnswer);
  t.deepEqual(await callsOf(db, owner), [birth.id]);
});

test('a key is remembered for 24 hours, then it is free again', async (t) => {
  const { db, owner } = await newNumber();
  const { numberId } = owner;
  const find = () => findKeyedAnswer(db, { numberId, key: keyedAnswer.key });
  const insert = createCallInsertion(db);
  await insert(callBirth(owner, { keyedAnswer }));
  await makeOlder(db, owner, '23 hours 59 minutes');
  await deleteExpiredAnswers(db);
  t.deepEqual(await find(), keyedAnswer);
  await makeOlder(db, owner, '2 minutes');
  t.is(await find(), undefined);
  t.true(await insert(callBirth(owner, { keyedAnswer })));
  await makeOlder(db, owner, '25 hours');
  await deleteExpiredAnswers(db);
  t.deepEqual(await db.execute('select key from idempotency_record where number_id = $1', [numberId]), []);
});
