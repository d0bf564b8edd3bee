/** A call's trunk and its sound, as they are kept. */
import test from 'ava';
import { facts, recordFact } from '#src/persistence/call-facts.ts';
import { findCall } from '#src/persistence/calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { answered, answeredCall, ended, typesOf } from './stored-facts.ts';

test('the trunk is known from the answer on, the sound from the end', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await storedCall(db, owner);
  const read = () => findCall(db, { callId, numberId: owner.numberId });
  await recordFact(db, callId, 1, { ...answered, route: { ...someRoute, failedTrunks: ['other'] } });
  t.like(await read(), {
    trunkId: someRoute.trunk.id,
    trunkName: 'carrier',
    failedTrunks: ['other'],
    postDialDelayMs: 1_830,
    localSignalling: '192.0.2.10:5060',
    remoteSignalling: '203.0.113.5:5060',
    sound: null,
    oneWay: null,
  });
  await recordFact(db, callId, 2, { ...ended, sound: someSound });
  t.deepEqual((await read())?.sound, someSound);
  t.is((await read())?.trunkName, 'carrier', 'an end that says nothing of it leaves it');
});

test('what the row of the call holds is not journalled once more', async (t) => {
  const db = await testDatabase();
  const callId = await storedCall(db, await storedNumber(db));
  await recordFact(db, callId, 1, { ...answered, route: someRoute });
  await recordFact(db, callId, 2, { ...ended, route: someRoute, sound: someSound });
  const journal = await facts(db, callId);
  t.deepEqual(
    journal.map(({ data }) => Object.keys(data)),
    [['sip'], ['reason', 'status']],
  );
});

test('sound that was missed stands in the record by its first way, and customers are not told', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const callId = await answeredCall(db, owner);
  const at = answered.at + 5_000;
  t.truthy(await recordFact(db, callId, 2, { type: 'sound.one_way', at, missing: 'nothing_received' }));
  t.truthy(await recordFact(db, callId, 3, { type: 'sound.one_way', at, missing: 'nothing_delivered' }));
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.oneWay, 'nothing_received');
  t.deepEqual(await typesOf(db, callId), ['call.ringing', 'call.answered']);
});
