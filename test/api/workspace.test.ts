import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addNumber, addWorkspace, fakeGateway } from './fake-gateway.ts';
import { recordingsOf, storeCall, storeRecording } from './stored-calls.ts';

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

test('the calls of one number of the workspace are picked out, a foreign one has none', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  const other = await addNumber(gateway);
  await storeCall({ ...gateway, number: other });
  const path = `/api/v1/admin/calls?number_id=${gateway.number.id}`;
  const { body } = await gateway.admin.get(path);
  t.deepEqual(
    z
      .object({ calls: z.array(z.object({ id: z.string() })) })
      .parse(body)
      .calls.map((call) => call.id),
    [id],
  );
  const { adminToken } = await addWorkspace(gateway.database);
  t.like((await gateway.admin.as(adminToken).get(path)).body, { calls: [] });
  t.is((await gateway.admin.get('/api/v1/admin/calls?number_id=x')).status, 400);
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

test('transcript and recording of a call of any number are read; nobody else knows of them', async (t) => {
  const content = Buffer.from('sound');
  const gateway = await fakeGateway(t, { recordings: recordingsOf(content) });
  const { id } = await storeCall({ ...gateway, number: await addNumber(gateway) });
  await storeRecording(gateway.database, id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  const path = `/api/v1/admin/calls/${id}`;
  t.deepEqual((await gateway.admin.get(`${path}/transcript`)).body, { call_id: id, transcript: [] });
  const whole = await gateway.admin.get(`${path}/recording`);
  t.is(whole.headers.get('content-type'), 'audio/ogg');
  t.deepEqual(whole.bytes, content);
  const part = await gateway.admin.get(`${path}/recording`, { range: 'bytes=1-2' });
  t.is(part.status, 206);
  t.is(part.bytes.toString(), 'ou');

  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  for (const part of ['transcript', 'recording']) {
    for (const answer of [
      await stranger.get(`${path}/${part}`),
      await gateway.admin.get(`/api/v1/admin/calls/${randomUUID()}/${part}`),
      await gateway.admin.get(`/api/v1/admin/calls/x/${part}`),
    ]) {
      t.is(answer.status, 404);
      t.is(answer.body.code, 'call_not_found');
    }
    t.is((await gateway.client.get(`${path}/${part}`)).status, 401);
  }
});

test('the pictures of the charts are for admins', async (t) => {
  const { admin, client } = await fakeGateway(t);
  const { status, headers, bytes } = await admin.get('/api/v1/admin/charts/conversation');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'image/svg+xml');
  t.is(bytes.toString(), '<svg id="conversation"/>');
  t.is((await admin.get('/api/v1/admin/charts/toString')).status, 400);
  t.is((await client.get('/api/v1/admin/charts/call')).status, 401);
});

const page = z.object({
  entries: z.array(z.object({ id: z.number(), actor: z.string(), action: z.string() })),
  next_cursor: z.string().nullable(),
});

test('the definitions of the charts are JSON', async (t) => {
  const { admin, client } = await fakeGateway(t);
  const { status, headers, body } = await admin.get('/api/v1/admin/charts/conversation.json');
  t.is(status, 200);
  t.is(headers.get('content-type'), 'application/json');
  t.deepEqual(body, { id: 'conversation' });
  t.is((await admin.get('/api/v1/admin/charts/delivery.json')).status, 400);
  t.is((await client.get('/api/v1/admin/charts/call.json')).status, 401);
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
