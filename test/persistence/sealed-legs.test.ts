import { randomUUID } from 'node:crypto';
import test from 'ava';
import { openLeg, sealLeg } from '#src/persistence/sealed-legs.ts';
import { legsOf, legsOfCalls, writeLegs } from '#src/persistence/sip-legs.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { encryptedLeg, keysOfLeg } from '#test/helpers/encrypted-leg.ts';
import { sealing } from '#test/helpers/test-sealing.ts';

test('the keys of a call’s sound stand sealed in the database, and whoever goes on with it reads them', async (t) => {
  const database = await testDatabase(t);
  const node = `node ${randomUUID()}`;
  const held = { id: randomUUID(), callId: randomUUID(), epoch: 1, leg: encryptedLeg };
  await writeLegs(database, sealing, node, { kept: [held], over: [] });
  const [row] = await database.execute<{ leg: string }>(
    'select leg::text as leg from sip_leg where id = $1',
    [held.id],
  );
  for (const key of Object.values(keysOfLeg)) t.false(row?.leg.includes(key));
  t.regex(row?.leg ?? '', /AES_CM_128_HMAC_SHA1_80 inline:v1\./);
  t.deepEqual(await legsOf(database, sealing, node), [held]);
  t.deepEqual(await legsOfCalls(database, sealing, [held.callId]), [held]);
});

test('keys of one leg do not open in another, which can be ended alone', (t) => {
  const sealed = sealLeg(sealing, 'one', encryptedLeg);
  t.deepEqual(openLeg(sealing, 'one', sealed), encryptedLeg);
  t.deepEqual(openLeg(sealing, 'another', sealed), { ...encryptedLeg, dialog: null });
});

test('a leg that a gateway of before has kept is read as it is', (t) => {
  t.deepEqual(openLeg(sealing, 'one', encryptedLeg), encryptedLeg);
});

test('a leg without keys is kept as it is', (t) => {
  const plain = { ...encryptedLeg, dialog: null };
  t.is(sealLeg(sealing, 'one', plain), plain);
});
