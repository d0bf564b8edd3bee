import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { insertCall } from '#src/persistence/calls/calls.ts';
import { addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/webhooks';
const url = 'https://events.example.com/';

const created = z.object({ id: z.string(), secret: z.string() });

const ring = async ({ database, workspaceId, number }: FakeGateway): Promise<string> => {
  const id = randomUUID();
  await insertCall(database, {
    id,
    workspaceId,
    numberId: number.id,
    direction: 'outbound',
    ownNumber: number.number,
    counterparty: '01000000001',
    language: 'ko',
    instruction: null,
    maxDurationSec: 600,
    recordingEnabled: true,
    startedAt: new Date(),
    node: 'test',
  });
  return id;
};

test('adds an endpoint and returns its secret once', async (t) => {
  const { admin } = await fakeGateway(t);
  const { status, body } = await admin.post(path, { url, events: ['call.ended'] });
  t.is(status, 201);
  t.like(body, { url, events: ['call.ended'], number_id: null, state: 'active', disabled_reason: null });
  const { id, secret } = created.parse(body);
  t.regex(secret, /^whsec_/);
  const read = await admin.get(`${path}/${id}`);
  t.is(read.status, 200);
  t.deepEqual({ ...read.body, secret }, body);
  t.deepEqual((await admin.get(path)).body, { webhooks: [read.body] });
});

test('restricts an endpoint to one number', async (t) => {
  const { admin, number } = await fakeGateway(t);
  t.like((await admin.post(path, { url, number_id: number.id })).body, {
    number_id: number.id,
    events: null,
  });
  const foreign = await admin.post(path, { url, number_id: randomUUID() });
  t.is(foreign.status, 400);
  t.like(foreign.body, { errors: [{ path: 'number_id' }] });
});

test('rejects an invalid field by name', async (t) => {
  const { admin } = await fakeGateway(t);
  const faults: [Record<string, unknown>, string][] = [
    [{}, 'url'],
    [{ url: 'http://events.example.com' }, 'url'],
    [{ url, events: ['call.exploded'] }, 'events.0'],
    [{ url, events: [] }, 'events'],
    [{ url, number_id: 'x' }, 'number_id'],
    [{ url, secret: 'mine' }, 'secret'],
  ];
  for (const [body, field] of faults) {
    const answer = await admin.post(path, body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
  t.deepEqual((await admin.get(path)).body, { webhooks: [] });
});

test('changes, pauses and resumes an endpoint', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = created.parse((await admin.post(path, { url })).body);
  const { status, body } = await admin.patch(`${path}/${id}`, { state: 'paused', events: ['call.answered'] });
  t.is(status, 200);
  t.like(body, { state: 'paused', events: ['call.answered'], url });
  t.like((await admin.patch(`${path}/${id}`, { state: 'active', events: null })).body, {
    state: 'active',
    events: null,
  });
  for (const fault of [{ state: 'disabled' }, { url: 'nonsense' }, { secret: 'x' }]) {
    t.is((await admin.patch(`${path}/${id}`, fault)).status, 400);
  }
});

test('replaces a secret and also signs with the old one for one day', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id, secret } = created.parse((await admin.post(path, { url })).body);
  const { status, body } = await admin.post(`${path}/${id}/rotate`);
  t.is(status, 200);
  t.not(body.secret, secret);
  const until = Date.parse(String(body.previous_secret_until));
  t.true(Math.abs(until - Date.now() - 24 * 60 * 60 * 1000) < 60_000);
});

test('responds with 404 for a removed endpoint', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = created.parse((await admin.post(path, { url })).body);
  t.is((await admin.delete(`${path}/${id}`)).status, 204);
  t.is((await admin.get(`${path}/${id}`)).status, 404);
  t.is((await admin.delete(`${path}/${id}`)).status, 404);
});

test('returns the result of a test delivery', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = created.parse((await admin.post(path, { url })).body);
  const { status, body } = await admin.post(`${path}/${id}/test`);
  t.is(status, 200);
  t.deepEqual(body, { http_status: 200, error: null, duration_ms: 12, code: null, advice: null });
});

test('returns a code and advice for a failed test delivery', async (t) => {
  const words = 'There is nothing at this path of example.com. Correct the path of the URL.';
  const { admin } = await fakeGateway(t, {
    webhookTests: {
      send: async () => ({
        httpStatus: 404,
        error: 'HTTP 404',
        durationMs: 12,
        advice: { code: 'not_found', words },
      }),
    },
  });
  const { id } = created.parse((await admin.post(path, { url })).body);
  const { body } = await admin.post(`${path}/${id}/test`);
  t.deepEqual(body, {
    http_status: 404,
    error: 'HTTP 404',
    duration_ms: 12,
    code: 'not_found',
    advice: words,
  });
});

test('lists deliveries newest first with their attempts, and replays one on request', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin, database } = gateway;
  const { id } = created.parse((await admin.post(path, { url })).body);
  const callIds = [await ring(gateway), await ring(gateway), await ring(gateway)];
  const list = z.object({
    deliveries: z.array(z.object({ id: z.string(), call_id: z.string() })),
    next_cursor: z.string().nullable(),
  });
  const first = list.parse((await admin.get(`${path}/${id}/deliveries?limit=2`)).body);
  const second = list.parse(
    (await admin.get(`${path}/${id}/deliveries?limit=2&cursor=${first.next_cursor}`)).body,
  );
  const found = [...first.deliveries, ...second.deliveries];
  t.deepEqual(found.map((delivery) => delivery.call_id).toSorted(), callIds.toSorted());
  t.is(found.length, 3);
  t.is(second.next_cursor, null);

  const [dead] = found;
  await database.execute(
    `update event_delivery set state = 'dead', attempts = 1, finished_at = now() where id = $1`,
    [dead?.id],
  );
  await database.execute(
    `insert into delivery_attempt (delivery_id, attempt, at, duration_ms, http_status, error)
     values ($1, 1, now(), 15, 500, 'HTTP 500')`,
    [dead?.id],
  );
  t.like((await admin.get(`${path}/${id}/deliveries?state=dead`)).body, {
    deliveries: [
      {
        id: dead?.id,
        webhook_id: id,
        type: 'call.ringing',
        state: 'dead',
        next_attempt_at: null,
        waits_for: null,
        attempts: [
          { attempt: 1, http_status: 500, error: 'HTTP 500', code: null, advice: null, duration_ms: 15 },
        ],
      },
    ],
  });
  const read = await admin.get(`/api/v1/admin/deliveries/${dead?.id}`);
  t.like(read.body, { id: dead?.id, state: 'dead', payload_truncated: false });
  t.like(JSON.parse(String(read.body.payload)), {
    type: 'call.ringing',
    call: { id: dead?.call_id, to: '01000000001' },
  });
  const { status, body } = await admin.post(`/api/v1/admin/deliveries/${dead?.id}/replay`);
  t.is(status, 202);
  t.like(body, { id: dead?.id, state: 'pending', finished_at: null });
  t.truthy(body.next_attempt_at);
});

test('shortens a long body of a delivery', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = created.parse((await gateway.admin.post(path, { url })).body);
  const callId = await ring(gateway);
  await gateway.database.execute(
    `update event set snapshot = jsonb_set(snapshot, '{call,instruction}', to_jsonb(repeat('x', 20000))) where call_id = $1`,
    [callId],
  );
  const [delivery] = z
    .object({ deliveries: z.array(z.object({ id: z.string() })) })
    .parse((await gateway.admin.get(`${path}/${id}/deliveries`)).body).deliveries;
  const { body } = await gateway.admin.get(`/api/v1/admin/deliveries/${delivery?.id}`);
  t.is(String(body.payload).length, 16_000);
  t.true(body.payload_truncated);
});

test('reads an endpoint that never delivered with neither a last success nor a next attempt', async (t) => {
  const { admin } = await fakeGateway(t);
  const { id } = created.parse((await admin.post(path, { url })).body);
  t.like((await admin.get(`${path}/${id}`)).body, {
    last_success_at: null,
    next_attempt_at: null,
    last_failure_code: null,
    last_failure_advice: null,
  });
});

test('responds with 404 for objects of another workspace', async (t) => {
  const gateway = await fakeGateway(t, {
    webhookTests: {
      send: () => Promise.reject(new Refusal('not_found', 'There is no such webhook endpoint.')),
    },
  });
  const { id } = created.parse((await gateway.admin.post(path, { url })).body);
  await ring(gateway);
  const [delivery] = z
    .object({ deliveries: z.array(z.object({ id: z.string() })) })
    .parse((await gateway.admin.get(`${path}/${id}/deliveries`)).body).deliveries;
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  const answers = [
    await stranger.get(`${path}/${id}`),
    await stranger.patch(`${path}/${id}`, { state: 'paused' }),
    await stranger.delete(`${path}/${id}`),
    await stranger.post(`${path}/${id}/rotate`),
    await stranger.get(`/api/v1/admin/deliveries/${delivery?.id}`),
    await stranger.post(`${path}/${id}/test`),
    await stranger.get(`${path}/${id}/deliveries`),
    await stranger.post(`/api/v1/admin/deliveries/${delivery?.id}/replay`),
    await stranger.get(`${path}/x`),
    await stranger.post('/api/v1/admin/deliveries/x/replay'),
  ];
  for (const { status, body } of answers) {
    t.is(status, 404);
    t.is(body.code, 'not_found');
  }
  t.deepEqual((await stranger.get(path)).body, { webhooks: [] });
  t.like((await gateway.admin.get(`${path}/${id}`)).body, { state: 'active' });
});
