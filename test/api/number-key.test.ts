import test from 'ava';
import { z } from 'zod';
import { fakeGateway } from './fake-gateway.ts';

const issued = z.object({ key: z.string() });

test('a key is issued, used, shown again and replaced', async (t) => {
  const { client, admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const first = await admin.post(path);
  t.is(first.status, 201);
  t.is(first.headers.get('cache-control'), 'no-store');
  const { key } = issued.parse(first.body);
  t.regex(key, /^gw_live_[0-9A-Za-z]{43}$/);
  t.is((await client.get('/api/v1/calls')).status, 401, 'the one before is invalid at once');
  t.is((await client.as(key).get('/api/v1/calls')).status, 200);

  const shown = await admin.get(path);
  t.is(shown.status, 200);
  t.deepEqual(shown.body, { key });
  t.is((await client.as(key).get('/api/v1/calls')).status, 200, 'showing does not change it');

  const second = issued.parse((await admin.post(path)).body).key;
  t.not(second, key);
  t.is((await client.as(key).get('/api/v1/calls')).status, 401);
  t.is((await client.as(second).get('/api/v1/calls')).status, 200);
});

test('each issue and each reveal is in the audit log, without the key', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const { key } = issued.parse((await admin.post(path)).body);
  await admin.get(path);
  await admin.get(path);
  const audit = await admin.get('/api/v1/admin/audit');
  const { entries } = z
    .object({ entries: z.array(z.object({ action: z.string(), subject: z.string() })) })
    .parse(audit.body);
  t.deepEqual(
    entries.map(({ action }) => action),
    ['number_key.revealed', 'number_key.revealed', 'number_key.reissued'],
  );
  for (const { subject } of entries) t.is(subject, `number:${number.id}`);
  t.false(audit.bytes.includes(key));
});

test('a key without a recovery copy cannot be shown', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await database.execute('update number_key set key_sealed = null where number_id = $1', [number.id]);
  const { status, body } = await admin.get(`/api/v1/admin/numbers/${number.id}/key`);
  t.is(status, 409);
  t.is(body.code, 'key_not_recoverable');
  const read = await admin.get(`/api/v1/admin/numbers/${number.id}`);
  t.like(read.body, { key: { recoverable: false } });
});

test('a number without a key has none to show', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await database.execute('delete from number_key where number_id = $1', [number.id]);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const { status, body } = await admin.get(path);
  t.is(status, 404);
  t.is(body.code, 'not_found');
  t.is((await admin.post(path)).status, 201);
  const audit = await admin.get('/api/v1/admin/audit');
  t.like(audit.body, { entries: [{ action: 'number_key.issued' }] });
});
