import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addNumber, addWorkspace, fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

test('the calls of all numbers of the workspace are listed, and no others', async (t) => {
  const gateway = await fakeGateway(t);
  const own = await storeCall(gateway, { startedAt: new Date('2026-11-21T03:00:01Z') });
  const ofOther = await storeCall({ ...gateway, number: await addNumber(gateway) });
  const { status, body } = await gateway.admin.get('/api/v1/admin/calls');
  t.is(status, 200);
  t.like(body, { calls: [{ id: own.id }, { id: ofOther.id }], next_cursor: null });

  const { adminToken } = await addWorkspace(gateway.database);
  t.like((await gateway.admin.as(adminToken).get('/api/v1/admin/calls')).body, { calls: [] });
});

test('a call of any number of the workspace is read', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall({ ...gateway, number: await addNumber(gateway) });
  t.is((await gateway.admin.get(`/api/v1/admin/calls/${id}`)).body.call_id, id);
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const answer of [
    await stranger.get(`/api/v1/admin/calls/${id}`),
    await gateway.admin.get(`/api/v1/admin/calls/${randomUUID()}`),
    await gateway.admin.get('/api/v1/admin/calls/x'),
  ]) {
    t.is(answer.status, 404);
    t.is(answer.body.code, 'call_not_found');
  }
});

const page = z.object({
  entries: z.array(z.object({ id: z.number(), actor: z.string(), action: z.string() })),
  next_cursor: z.string().nullable(),
});

test('each change leaves an entry; pages follow one another', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `/api/v1/admin/numbers/${number.id}`;
  await admin.patch(one, { greeting: 'Hello.' });
  await admin.put(`${one}/agents/inbound`, { agent: 'builtin' });
  await admin.put(`${one}/inbound-auth`, { method: 'none' });
  await admin.patch(one, { greeting: 5 });

  const first = page.parse((await admin.get('/api/v1/admin/audit?limit=2')).body);
  const second = page.parse(
    (await admin.get(`/api/v1/admin/audit?limit=2&cursor=${first.next_cursor}`)).body,
  );
  t.deepEqual(
    [...first.entries, ...second.entries].map(({ action }) => action),
    ['inbound_auth.changed', 'agent.changed', 'number.changed'],
  );
  t.is(second.next_cursor, null);
  for (const { actor } of first.entries) t.regex(actor, /^admin:[0-9a-f-]{36}$/);
  t.is((await admin.get('/api/v1/admin/audit?cursor=x')).status, 400);
});

test('another workspace sees nothing of it', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await admin.patch(`/api/v1/admin/numbers/${number.id}`, { greeting: 'Hello.' });
  const { adminToken } = await addWorkspace(database);
  t.deepEqual((await admin.as(adminToken).get('/api/v1/admin/audit')).body, {
    entries: [],
    next_cursor: null,
  });
});
