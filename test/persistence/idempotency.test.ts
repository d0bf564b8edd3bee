import test from 'ava';
import {
  beginIdempotentRequest,
  finishIdempotentRequest,
  forgetIdempotentRequest,
  forgetOldIdempotentRequests,
} from '#src/persistence/idempotency.ts';
import type { Database } from '#src/persistence/database.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';

const fingerprint = Buffer.from('one body');
const body = '{ "call_id":\t"…" }\n';

const newKey = async (): Promise<{ db: Database; numberId: string; key: string }> => {
  const db = await testDatabase();
  return { db, numberId: (await storedNumber(db)).numberId, key: 'same key' };
};

const makeOlder = async (db: Database, numberId: string, interval: string): Promise<void> => {
  await db.execute(
    'update idempotency_record set created_at = created_at - $2::interval where number_id = $1',
    [numberId, interval],
  );
};

test('a repetition waits for the first request, then gets its answer to the byte', async (t) => {
  const { db, numberId, key } = await newKey();
  const begin = () => beginIdempotentRequest(db, { numberId, key, fingerprint });
  t.deepEqual(await begin(), { state: 'new' });
  t.deepEqual(await begin(), { state: 'running' });
  await finishIdempotentRequest(db, { numberId, key, status: 201, body });
  t.deepEqual(await begin(), { state: 'done', status: 201, body });
  t.deepEqual(await begin(), { state: 'done', status: 201, body });
});

test('of many requests at once one is new', async (t) => {
  const { db, numberId, key } = await newKey();
  const states = await Promise.all(
    Array.from({ length: 10 }, () => beginIdempotentRequest(db, { numberId, key, fingerprint })),
  );
  t.is(states.filter(({ state }) => state === 'new').length, 1);
  t.is(states.filter(({ state }) => state === 'running').length, 9);
});

test('the same key with another body is told apart, running or done', async (t) => {
  const { db, numberId, key } = await newKey();
  const other = { numberId, key, fingerprint: Buffer.from('another body') };
  await beginIdempotentRequest(db, { numberId, key, fingerprint });
  t.deepEqual(await beginIdempotentRequest(db, other), { state: 'reused' });
  await finishIdempotentRequest(db, { numberId, key, status: 201, body });
  t.deepEqual(await beginIdempotentRequest(db, other), { state: 'reused' });
});

test('a key means nothing to another number', async (t) => {
  const { db, numberId, key } = await newKey();
  await beginIdempotentRequest(db, { numberId, key, fingerprint });
  const stranger = await storedNumber(db);
  const state = await beginIdempotentRequest(db, { numberId: stranger.numberId, key, fingerprint });
  t.deepEqual(state, { state: 'new' });
});

test('a forgotten request runs anew, a finished one is not forgotten', async (t) => {
  const { db, numberId, key } = await newKey();
  const begin = () => beginIdempotentRequest(db, { numberId, key, fingerprint });
  await begin();
  await forgetIdempotentRequest(db, { numberId, key });
  t.deepEqual(await begin(), { state: 'new' });
  await finishIdempotentRequest(db, { numberId, key, status: 201, body });
  await forgetIdempotentRequest(db, { numberId, key });
  t.deepEqual(await begin(), { state: 'done', status: 201, body });
});

test('a key is remembered for 24 hours', async (t) => {
  const { db, numberId, key } = await newKey();
  const begin = () => beginIdempotentRequest(db, { numberId, key, fingerprint });
  await begin();
  await finishIdempotentRequest(db, { numberId, key, status: 201, body });
  await makeOlder(db, numberId, '23 hours 59 minutes');
  await forgetOldIdempotentRequests(db);
  t.is((await begin()).state, 'done');
  await makeOlder(db, numberId, '2 minutes');
  t.deepEqual(await begin(), { state: 'new' });
  await makeOlder(db, numberId, '25 hours');
  await forgetOldIdempotentRequests(db);
  t.deepEqual(await db.execute('select key from idempotency_record where number_id = $1', [numberId]), []);
});

test('a request whose process died does not block its key for long', async (t) => {
  const { db, numberId, key } = await newKey();
  const begin = () => beginIdempotentRequest(db, { numberId, key, fingerprint });
  await begin();
  await makeOlder(db, numberId, '4 minutes');
  t.is((await begin()).state, 'running');
  await makeOlder(db, numberId, '2 minutes');
  t.is((await begin()).state, 'new');
});
