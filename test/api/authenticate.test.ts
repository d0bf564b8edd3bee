import { randomUUID } from 'node:crypto';
import test from 'ava';
import { newNumberKey } from '#src/administration/new-key.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { putNumberKey } from '#src/persistence/number-keys.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { addNumber, fakeGateway, sealing } from './fake-gateway.ts';

const path = '/api/v1/calls';

test('without a valid key nobody gets in', async (t) => {
  const { client, admin, baseUrl, number } = await fakeGateway(t);
  const anonymous = apiClient(baseUrl);
  const credentials = [
    '',
    'Bearer',
    'Bearer ',
    number.key,
    `Basic ${number.key}`,
    `Bearer ${number.key}x`,
    `Bearer ${number.key.slice(0, -1)}`,
    `Bearer ${number.key} ${number.key}`,
    `Bearer ${newNumberKey()}`,
    'Bearer ключ',
    `Bearer ${'x'.repeat(5000)}`,
  ];
  const answers = [await anonymous.get(path)];
  for (const authorization of credentials) {
    if (/^[\0-\xff]*$/.test(authorization)) answers.push(await anonymous.get(path, { authorization }));
  }
  // An admin token is no number key, and the other way round.
  answers.push(await admin.get(path), await client.get('/api/v1/admin/numbers'));
  for (const { status, body, headers } of answers) {
    t.is(status, 401);
    t.is(body.code, 'unauthorized');
    t.is(headers.get('www-authenticate'), 'Bearer');
  }
});

const full = new Refusal('over_capacity', 'There is no room.', { headers: { 'Retry-After': '5' } });

test('a gateway without room for a call says so before it looks up who asks; other requests are let in as ever', async (t) => {
  const looked: string[] = [];
  const database = await testDatabase(t);
  const { client, admin, baseUrl, asked } = await fakeGateway(t, {
    database: {
      ...database,
      ...scriptedStatements((sql, parameters) => {
        looked.push(sql);
        return database.execute(sql, parameters);
      }),
    },
    checkCapacity: () => {
      throw full;
    },
  });
  const stranger = apiClient(baseUrl);
  const call = { to: '01000000001' };
  const refused = [
    await client.post(path, call, { 'idempotency-key': 'once' }),
    await stranger.post(path, call),
    await admin.post('/api/v1/admin/simulator/calls', { ...call, from: '01012345678' }),
  ];
  for (const { status, body, headers } of refused) {
    t.deepEqual([status, body.code, headers.get('retry-after')], [503, 'over_capacity', '5']);
  }
  t.deepEqual(looked, []);
  t.deepEqual(asked, []);
  t.is((await client.get(path)).status, 200);
  t.true(looked.length > 0);
  t.is((await stranger.get(path)).status, 401);
});

test('the scheme may be written in any case', async (t) => {
  const { baseUrl, number } = await fakeGateway(t);
  t.is((await apiClient(baseUrl).get(path, { authorization: `bearer ${number.key}` })).status, 200);
});

test('a key that was replaced is unknown at once', async (t) => {
  const { client, database, number } = await fakeGateway(t);
  t.is((await client.get(path)).status, 200);
  const key = newNumberKey();
  await putNumberKey(database, {
    numberId: number.id,
    keyHash: sealing.fingerprint(key),
    keySealed: sealing.seal(key, number.id),
    issuedAt: new Date(),
  });
  t.is((await client.get(path)).status, 401);
  t.is((await client.as(key).get(path)).status, 200);
});

test('nobody is asked for a body before the key is known', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  const answer = await apiClient(baseUrl).send('POST', path, {
    raw: '{',
    headers: { 'content-type': 'text/plain' },
  });
  t.is(answer.status, 401);
});

test('X-Number-Id must name the number of the key, or nothing', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  for (const id of [gateway.number.id, gateway.number.id.toUpperCase(), '', 'null']) {
    t.is((await gateway.client.get(path, { 'X-Number-Id': id })).status, 200, id);
  }
  for (const id of [other.id, randomUUID(), 'nonsense', gateway.number.number]) {
    const { status, body } = await gateway.client.get(path, { 'X-Number-Id': id });
    t.is(status, 403, id);
    t.is(body.code, 'number_mismatch');
  }
});
