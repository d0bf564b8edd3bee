import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addNumber, addWorkspace, fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const pathOf = (id: string): string => `/api/v1/admin/numbers/${id}`;

test('a deleted number is gone with its key; its calls and the audit log keep what it was', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin, client, number, workspaceId } = gateway;
  const { id: callId } = await storeCall(gateway);
  const other = await addNumber({ database: gateway.database, workspaceId });
  t.is((await admin.delete(pathOf(number.id))).status, 204);

  t.is((await client.get('/api/v1/calls')).status, 401);
  t.is((await client.post('/api/v1/calls', { to: '01000000001' })).status, 401);
  t.is((await client.as(other.key).get('/api/v1/calls')).status, 200);
  for (const answer of [
    await admin.get(pathOf(number.id)),
    await admin.patch(pathOf(number.id), { language: 'en' }),
    await admin.get(`${pathOf(number.id)}/key`),
    await admin.post(`${pathOf(number.id)}/key`),
    await admin.put(`${pathOf(number.id)}/agents/inbound`, { agent: 'builtin' }),
    await admin.delete(pathOf(number.id)),
  ]) {
    t.deepEqual([answer.status, answer.body['code']], [404, 'number_not_found']);
  }
  const numbers = z.object({ numbers: z.array(z.object({ id: z.string() })) });
  t.deepEqual(
    numbers.parse((await admin.get('/api/v1/admin/numbers')).body).numbers.map(({ id }) => id),
    [other.id],
  );

  t.like((await admin.get(`/api/v1/admin/calls/${callId}`)).body, {
    number_id: number.id,
    from: number.number,
  });
  t.like((await admin.get(`/api/v1/admin/calls?number_id=${number.id}`)).body, { calls: [{ id: callId }] });
  t.is((await admin.get(`/api/v1/admin/calls/${callId}/transcript`)).status, 200);
  t.true((await admin.get('/api/v1/admin/call-records')).bytes.includes(number.number));
  t.like((await admin.get('/api/v1/admin/audit')).body, {
    entries: [
      { action: 'number.deleted', subject: `number:${number.id}`, detail: { number: number.number } },
    ],
  });

  const again = await admin.post('/api/v1/admin/numbers', { number: number.number });
  t.is(again.status, 201);
  t.not(again.body['id'], number.id);
  t.is(again.body['key'], null);
  t.is((await client.get('/api/v1/calls')).status, 401, 'the old key is not the key of the new number');
});

test('a number with a call in progress is kept, with its key', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway, { status: 'active', endReason: null, endedAt: null });
  const { status, body } = await gateway.admin.delete(pathOf(gateway.number.id));
  t.deepEqual([status, body['code']], [409, 'number_in_use']);
  t.is((await gateway.client.get('/api/v1/calls')).status, 200);
});

test('a number of another workspace is not deleted', async (t) => {
  const gateway = await fakeGateway(t);
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is((await stranger.delete(pathOf(gateway.number.id))).status, 404);
  t.is((await gateway.admin.delete(pathOf(randomUUID()))).status, 404);
  t.is((await gateway.client.get('/api/v1/calls')).status, 200);
});

test('webhook endpoints that are bound to a deleted number stay, and can be deleted', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const bound = await admin.post('/api/v1/admin/webhooks', {
    url: 'https://example.com/',
    number_id: number.id,
  });
  t.is((await admin.delete(pathOf(number.id))).status, 204);
  const path = `/api/v1/admin/webhooks/${String(bound.body['id'])}`;
  t.like((await admin.get(path)).body, { number_id: number.id, state: 'active' });
  const next = { url: 'https://example.com/', number_id: number.id };
  t.is((await admin.post('/api/v1/admin/webhooks', next)).status, 400, 'no other one can be bound to it');
  t.is((await admin.delete(path)).status, 204);
});
