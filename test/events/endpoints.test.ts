/** Webhook endpoints: states, payloads, failing receivers and test advice. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { explain } from '#src/console/language/explain.ts';
import { sayings as koreanSayings } from '#src/console/language/ko/sayings.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { type ServerTrouble, serverTroubles } from '#src/domain/server-advice.ts';
import {
  createEndpoint,
  getEndpoint,
  listEndpointDeliveries,
  listEndpoints,
  patchEndpoint,
  rotateSecret,
} from '#src/events/endpoints.ts';
import { replayDelivery } from '#src/persistence/events/delivery-list.ts';
import {
  deleteWebhookEndpoint as deleteEndpoint,
  findWebhookEndpoint,
} from '#src/persistence/events/webhook-endpoints.ts';
import { eventBody, type OutgoingEvent } from '#src/events/payloads.ts';
import { deliveryAdvice } from '#src/events/delivery-advice.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import { EndpointFailure, type EndpointFailureKind } from '#src/outgoing/endpoint-failure.ts';
import { noServer } from '#test/helpers/no-server.ts';
import type { Answer, WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { createEventWorld, type EventWorld, onlyEnded, openWorld, settled } from './event-world.ts';

// Endpoints

const request = { url: 'https://example.com/events', events: null, numberId: null };

test.serial('returns the secret of a new endpoint once and stores it encrypted', async (t) => {
  const { db, world } = await openWorld(t);
  const { endpoint, secret } = await createEndpoint(world.administration, world.workspaceId, {
    ...request,
    events: ['call.ended'],
    numberId: world.numberId,
  });

  t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.deepEqual(endpoint, {
    id: endpoint.id,
    workspaceId: world.workspaceId,
    numberId: world.numberId,
    url: 'https://example.com/events',
    events: ['call.ended'],
    previousSecretUntil: null,
    state: 'active',
    disabledReason: null,
    failingSince: null,
    lastFailure: null,
    lastFailureCode: null,
    lastFailureAdvice: null,
    lastSuccessAt: null,
    coolingUntil: null,
    createdAt: new Date(world.clock.now()),
  });
  const scope = { endpointId: endpoint.id, workspaceId: world.workspaceId };
  t.deepEqual(await getEndpoint(db, scope), endpoint);
  t.deepEqual(await listEndpoints(db, world.workspaceId), [endpoint]);
  const sealed = (await findWebhookEndpoint(db, scope))?.secretSealed ?? '';
  t.false(sealed.includes(secret.slice(6)));
  t.is(world.administration.sealing.open(sealed, endpoint.id), secret);
});

test.serial('creates a different secret for each endpoint', async (t) => {
  const { world } = await openWorld(t);
  const create = () => createEndpoint(world.administration, world.workspaceId, request);
  t.not((await create()).secret, (await create()).secret);
});

test.serial('rejects a forbidden URL when an endpoint is created or changed', async (t) => {
  const { db, world } = await openWorld(t);
  const { endpoint } = await createEndpoint(world.administration, world.workspaceId, request);
  const url = 'https://refused.example.com';
  const errors = [{ path: 'url', message: 'This URL cannot be used.' }];

  const created = await t.throwsAsync(
    createEndpoint(world.administration, world.workspaceId, { ...request, url }),
    { instanceOf: Refusal },
  );
  t.like(created, { code: 'invalid_request', extras: { errors } });
  const scope = { endpointId: endpoint.id, workspaceId: world.workspaceId };
  const patched = await t.throwsAsync(patchEndpoint(world.administration, scope, { url }), {
    instanceOf: Refusal,
  });
  t.like(patched, { code: 'invalid_request', extras: { errors } });
  t.deepEqual(await listEndpoints(db, world.workspaceId), [endpoint]);
});

test.serial('treats a number of another workspace like an unknown one', async (t) => {
  const { db, world } = await openWorld(t);
  const stranger = await createEventWorld(t, db);
  const refusals = await Promise.all(
    [stranger.numberId, randomUUID()].map((numberId) =>
      t.throwsAsync(createEndpoint(world.administration, world.workspaceId, { ...request, numberId }), {
        instanceOf: Refusal,
      }),
    ),
  );
  t.deepEqual(
    refusals.map((refusal) => refusal?.extras),
    Array.from({ length: 2 }, () => ({
      errors: [{ path: 'number_id', message: 'This workspace has no such number.' }],
    })),
  );
});

test.serial('keeps fields that a change omits', async (t) => {
  const { world } = await openWorld(t);
  const { endpoint } = await createEndpoint(world.administration, world.workspaceId, request);
  const scope = { endpointId: endpoint.id, workspaceId: world.workspaceId };

  const paused = await patchEndpoint(world.administration, scope, { state: 'paused' });
  t.deepEqual(paused, { ...endpoint, state: 'paused' });
  const narrowed = await patchEndpoint(world.administration, scope, {
    events: ['call.ringing'],
    numberId: world.numberId,
  });
  t.deepEqual(narrowed, { ...endpoint, state: 'paused', events: ['call.ringing'], numberId: world.numberId });
  const widened = await patchEndpoint(world.administration, scope, {
    events: null,
    numberId: null,
    state: 'active',
  });
  t.deepEqual(widened, endpoint);
});

test.serial('keeps the previous secret valid for 24 hours after a rotation', async (t) => {
  const { db, world } = await openWorld(t);
  const { endpoint, secret } = await createEndpoint(world.administration, world.workspaceId, request);
  const scope = { endpointId: endpoint.id, workspaceId: world.workspaceId };

  const rotated = await rotateSecret(world.administration, scope);

  t.not(rotated?.secret, secret);
  t.deepEqual(rotated?.endpoint, {
    ...endpoint,
    previousSecretUntil: new Date(world.clock.now() + 24 * 60 * 60 * 1000),
  });
  const record = await findWebhookEndpoint(db, scope);
  t.is(world.administration.sealing.open(record?.previousSecretSealed ?? '', endpoint.id), secret);
});

test.serial('responds with 404 for objects of another workspace', async (t) => {
  const { db, world } = await openWorld(t);
  const { workspaceId } = await createEventWorld(t, db);
  const { id, endpoint, receiver } = await world.endpoint();
  await world.call();
  const [delivery] = await world.deliveries(id);
  const scope = { endpointId: id, workspaceId };

  t.deepEqual(await listEndpoints(db, workspaceId), []);
  t.is(await getEndpoint(db, scope), undefined);
  t.is(await patchEndpoint(world.administration, scope, { state: 'paused' }), undefined);
  t.is(await rotateSecret(world.administration, scope), undefined);
  t.false(await deleteEndpoint(db, scope));
  t.is(await listEndpointDeliveries(db, scope, { limit: 10 }), undefined);
  const now = new Date(world.clock.now());
  t.is(await replayDelivery(db, { deliveryId: delivery?.id ?? '', workspaceId, now }), undefined);
  const tests = createWebhookTests({ ...world.administration, clients: world.clients, timeoutMs: 15_000 });
  const refusal = await t.throwsAsync(tests.send({ id, workspaceId }), { instanceOf: Refusal });
  t.is(refusal?.code, 'not_found');

  t.deepEqual(await listEndpoints(db, world.workspaceId), [endpoint]);
  t.is(receiver.received.length, 0);
});

test.serial('deletes the deliveries of a deleted endpoint', async (t) => {
  const { db, world } = await openWorld(t);
  const { id } = await world.endpoint();
  await world.call();
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  t.is((await world.deliveries(id)).length, 2);

  t.true(await deleteEndpoint(db, scope));

  t.is(await getEndpoint(db, scope), undefined);
  t.is(await listEndpointDeliveries(db, scope, { limit: 10 }), undefined);
  t.false(await deleteEndpoint(db, scope));
});

test.serial('lists deliveries newest first, page by page', async (t) => {
  const { db, world } = await openWorld(t);
  const { id } = await world.endpoint({ events: ['call.ended'] });
  const calls: string[] = [];
  for (let call = 0; call < 3; call += 1) {
    calls.unshift(await world.call());
    world.clock.advance(1_000);
  }
  const scope = { endpointId: id, workspaceId: world.workspaceId };

  const first = (await listEndpointDeliveries(db, scope, { limit: 2 })) ?? [];
  const second = (await listEndpointDeliveries(db, scope, { limit: 2, after: first[1] })) ?? [];

  t.deepEqual(
    [...first, ...second].map(({ callId, type, state }) => ({ callId, type, state })),
    calls.map((callId) => ({ callId, type: 'call.ended', state: 'pending' })),
  );
});

test.serial('sends one signed test event, even to a paused endpoint, and returns the result', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint({ events: ['call.summarized'] });
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await patchEndpoint(world.administration, scope, { state: 'paused' });
  const tests = createWebhookTests({ ...world.administration, clients: world.clients, timeoutMs: 15_000 });
  receiver.answer({ status: 418 });

  const failed = await tests.send({ id, workspaceId: world.workspaceId });
  const delivered = await tests.send({ id, workspaceId: world.workspaceId });

  t.like(failed, { httpStatus: 418, error: 'HTTP 418', durationMs: 0, advice: { code: 'refused' } });
  t.deepEqual(delivered, { httpStatus: 204, error: null, durationMs: 0, advice: null });
  t.is(receiver.received.length, 2);
  const [request] = receiver.received;
  const event = JSON.parse(request?.rawBody ?? '');
  t.is(event.type, 'webhook.test');
  t.is(event.id, request?.id);
  t.is(event.call.id, '00000000-0000-0000-0000-000000000000');
  t.true(event.timestamp.endsWith('+09:00'));
  t.deepEqual(await world.deliveries(id), []);
});

test.serial('returns reason and advice for a failed test', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const tests = createWebhookTests({ ...world.administration, clients: world.clients, timeoutMs: 15_000 });
  const send = (endpointId = id) => tests.send({ id: endpointId, workspaceId: world.workspaceId });
  // The two that break a connection go first: on a kept connection they would be retried.
  receiver.answer(
    'garbage',
    'reset',
    { status: 307, headers: { location: '/elsewhere' } },
    { status: 502, headers: { server: 'nginx/1.29' } },
    { status: 400, body: 'The plain HTTP request was sent to HTTPS port' },
  );
  t.like((await send()).advice, { code: 'not_http' });
  t.like((await send()).advice, { code: 'connection_closed' });
  t.like((await send()).advice, { code: 'redirect' });
  t.regex((await send()).advice?.words ?? '', /proxy in front of the receiver \(nginx\)/);
  t.like((await send()).advice, { code: 'https_required' });
  const { httpStatus, advice } = await send((await world.endpoint({ url: noServer })).id);
  t.is(httpStatus, null);
  t.is(advice?.code, 'connection_refused');
});

test.serial('returns a time-out for a test without a response in time', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const tests = createWebhookTests({ ...world.administration, clients: world.clients, timeoutMs: 15_000 });
  receiver.answer('hang');
  const sent = tests.send({ id, workspaceId: world.workspaceId });
  await receiver.until(1);
  world.clock.advance(15_000);
  t.like(await sent, {
    httpStatus: null,
    error: 'No answer within 15 s',
    advice: { code: 'no_answer_in_time' },
  });
});

// Endpoint states

test.serial(
  'a response with 410 ends the delivery and disables the endpoint until an admin reactivates it',
  async (t) => {
    const { world } = await openWorld(t);
    const { receiver, id } = await world.endpoint(onlyEnded);
    receiver.answer({ status: 410 });
    await world.startWorker({ perEndpoint: 1 });
    await world.call();
    await settled(world, id, 'dead');

    await world.call();
    t.is((await world.deliveries(id)).length, 1, 'a disabled endpoint gets no new deliveries');

    const scope = { endpointId: id, workspaceId: world.workspaceId };
    const endpoint = await patchEndpoint(world.administration, scope, { state: 'active' });
    t.like(endpoint, { state: 'active', disabledReason: null });
    world.clock.advance(1_000);
    await world.call();
    await settled(world, id, 'delivered', 'dead');
    t.is(receiver.received.length, 2);
  },
);

test.serial('sends no queued deliveries to a disabled endpoint', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  receiver.answer({ status: 410 });
  await world.call();
  const worker = await world.startWorker({ perEndpoint: 1 });

  await receiver.until(1);
  await worker.close();

  t.is(receiver.received.length, 1);
  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['dead', 'pending']);
  const [row] = await db.execute<{ state: string; disabled_reason: string }>(
    'select state, disabled_reason from webhook_endpoint',
  );
  t.deepEqual(row, { state: 'disabled', disabled_reason: 'The endpoint answered 410 Gone' });
});

test.serial('queues deliveries for a paused endpoint and sends them when it is resumed', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const other = await world.endpoint(onlyEnded);
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await world.call();
  await patchEndpoint(world.administration, scope, { state: 'paused' });
  await world.startWorker();
  await other.receiver.until(1);
  t.is(receiver.received.length, 0);

  await patchEndpoint(world.administration, scope, { state: 'active' });

  await settled(world, id, 'delivered');
  t.is(receiver.received.length, 1);
});

test.serial('sends events created during a pause when the endpoint is resumed', async (t) => {
  const { world } = await openWorld(t);
  const { id } = await world.endpoint(onlyEnded);
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await patchEndpoint(world.administration, scope, { state: 'paused' });
  await world.call();
  t.is((await world.deliveries(id)).length, 1);

  await patchEndpoint(world.administration, scope, { state: 'active' });
  await world.startWorker();
  await settled(world, id, 'delivered');
});

// Failing receiver
// A receiver that fails in each way named by the Standard Webhooks specification, and in some more.

/** Advances the clock until the condition holds, in steps that leave pending work enough real time. */
const inTheEnd = async (world: EventWorld, holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    world.clock.advance(1_000);
  }
};

/** Received events and their counts, by id. */
const eventsAt = (receiver: WebhookReceiver): Map<string, { event: string; times: number }> => {
  const events = new Map<string, { event: string; times: number }>();
  for (const { rawBody, id = '' } of receiver.received) {
    const { id: idInBody, type, call } = JSON.parse(rawBody);
    const before = events.get(id);
    const event = `${String(type)} of ${String(call.id)}`;
    if (idInBody !== id || (before !== undefined && before.event !== event))
      throw new Error('One id stands for two events');
    events.set(id, { event, times: (before?.times ?? 0) + 1 });
  }
  return events;
};

const inAMinute = (now: number): string => new Date(now + 60_000).toUTCString();

test.serial('delivers every event under one id after any failures of the receiver', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const ways: Answer[] = [
    'hang',
    'dripping',
    'endless',
    'reset',
    'garbage',
    { status: 301, headers: { location: 'http://127.0.0.1:1/' } },
    { status: 400 },
    { status: 401 },
    { status: 404 },
    { status: 429, headers: { 'retry-after': '30' } },
    { status: 429, headers: { 'retry-after': inAMinute(world.clock.now()) } },
    { status: 500, body: 'x'.repeat(1_000_000) },
    { status: 502 },
    { status: 503, headers: { 'retry-after': '99999999999' } },
    { status: 504 },
  ];
  receiver.answer(...ways);
  await Promise.all(Array.from({ length: ways.length }, () => world.call()));
  await world.startWorker({ timeoutMs: 60_000, scheduleSec: [0, 5, 10, 20], longestRetryAfterSec: 120 });
  await inTheEnd(world, async () => (await world.deliveries(id)).every(({ state }) => state === 'delivered'));

  const events = eventsAt(receiver);
  t.is(events.size, 2 * ways.length);
  t.is(new Set([...events.values()].map(({ event }) => event)).size, 2 * ways.length);
  const deliveries = await world.deliveries(id);
  for (const { eventId, attempts } of deliveries) t.is(events.get(eventId)?.times, attempts.length);
  const errors = deliveries.flatMap(({ attempts }) => attempts.map(({ error }) => error));
  t.deepEqual(
    [...new Set(errors)].filter((error) => error !== null).toSorted(),
    [
      ...[400, 401, 404, 429, 500, 502, 503, 504].map((status) => `HTTP ${status}`),
      'HTTP 301: redirects are not followed',
      'No answer within 60 s',
      'The answer was not HTTP',
      'The connection failed: ECONNRESET',
    ].toSorted(),
  );
  const waitsAfter = (status: number): number[] =>
    deliveries.flatMap(({ attempts: [first, second] }) =>
      first?.httpStatus === status && second !== undefined
        ? [(second.at.getTime() - first.at.getTime()) / 1_000]
        : [],
    );
  t.true(waitsAfter(429).every((seconds) => seconds >= 30));
  t.true(waitsAfter(503).every((seconds) => seconds >= 120 && seconds < 200));
  t.true(receiver.received.every(({ signedWith }) => signedWith.length === 1));
});

test.serial(
  'every event of a failing receiver reaches the state dead and arrives after a replay',
  async (t) => {
    const { db, world } = await openWorld(t);
    const { receiver, id } = await world.endpoint();
    receiver.answer(...Array.from({ length: 12 }, (): Answer => ({ status: 500 })));
    await Promise.all([world.call(), world.call()]);
    await world.startWorker({ scheduleSec: [0, 5, 10] });
    await inTheEnd(world, async () => (await world.deliveries(id)).every(({ state }) => state === 'dead'));
    t.is(receiver.received.length, 12);
    for (const { id: deliveryId } of await world.deliveries(id))
      await replayDelivery(db, {
        deliveryId,
        workspaceId: world.workspaceId,
        now: new Date(world.clock.now()),
      });
    await inTheEnd(world, async () =>
      (await world.deliveries(id)).every(({ state }) => state === 'delivered'),
    );
    t.is(receiver.received.length, 16);
    t.is(eventsAt(receiver).size, 4);
  },
);

test.serial('keeps undelivered events of a disabled endpoint until it is enabled', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  receiver.answer({ status: 410 });
  await world.call();
  await world.startWorker();
  await inTheEnd(world, async () => (await world.deliveries(id)).some(({ state }) => state === 'dead'));
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  await patchEndpoint(world.administration, scope, { state: 'active' });
  await inTheEnd(world, async () => (await world.deliveries(id)).every(({ state }) => state !== 'pending'));
  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['dead', 'delivered']);
  t.is(eventsAt(receiver).size, 2);
});

// Payloads

const endedCall = (): OutgoingEvent => ({
  id: 'evt_1',
  type: 'call.ended',
  at: new Date('2026-11-21T03:01:10.250Z'),
  snapshot: {
    time_zone: 'Asia/Seoul',
    call: {
      id: '6f3c4a1e-1111-4111-8111-111111111111',
      number_id: '6f3c4a1e-2222-4222-8222-222222222222',
      direction: 'outbound',
      own_number: '0212345678',
      counterparty: '01012345678',
      language: 'ko',
      status: 'completed',
      end_reason: 'agent_hangup',
      instruction: '예약을 확인해 주세요.',
      summary: null,
      started_at: '2026-11-21T03:00:00+00:00',
      answered_at: '2026-11-21T12:00:10.5+09:00',
      ended_at: '2026-11-21T03:01:10.25+00:00',
      duration_sec: 59.75,
      answered_by: 'human',
      sip_status: 200,
      sip_reason: 'OK',
      sip_call_id: 'abc',
    },
  },
});

test('writes the event and the call into the body, with the UTC offset of the workspace', (t) => {
  t.deepEqual(JSON.parse(eventBody(endedCall())), {
    id: 'evt_1',
    type: 'call.ended',
    timestamp: '2026-11-21T12:01:10.250+09:00',
    call: {
      id: '6f3c4a1e-1111-4111-8111-111111111111',
      number_id: '6f3c4a1e-2222-4222-8222-222222222222',
      direction: 'outbound',
      from: '0212345678',
      to: '01012345678',
      language: 'ko',
      status: 'completed',
      end_reason: 'agent_hangup',
      instruction: '예약을 확인해 주세요.',
      summary: null,
      started_at: '2026-11-21T12:00:00.000+09:00',
      answered_at: '2026-11-21T12:00:10.500+09:00',
      ended_at: '2026-11-21T12:01:10.250+09:00',
      duration_sec: 59.75,
      answered_by: 'human',
    },
  });
});

test("writes the caller's name and diversions into the body, beside the number", (t) => {
  const event = endedCall();
  Object.assign(event.snapshot.call, {
    direction: 'inbound',
    caller_name: 'Kim',
    diversions: [{ number: '0212345678', reason: 'no-answer' }],
  });
  t.like(JSON.parse(eventBody(event)).call, {
    from: '01012345678',
    from_name: 'Kim',
    diversions: [{ number: '0212345678', reason: 'no-answer' }],
  });
  event.snapshot.call.diversions = null;
  t.deepEqual(JSON.parse(eventBody(event)).call.diversions, []);
});

test('writes a requested transfer into the body', (t) => {
  const event = endedCall();
  const plain = eventBody(event);
  event.snapshot.call.transfer = null;
  t.is(eventBody(event), plain, 'nobody who knows nothing of them sees a change');
  const transfer = {
    id: '6f3c4a1e-3333-4333-8333-333333333333',
    to: '0212345678',
    mode: 'cold',
    status: 'failed',
    reason: 'busy',
  } as const;
  const sip = { status: 486, reason: 'Busy Here', callId: 'def' };
  event.snapshot.call.transfer = {
    ...transfer,
    startedAt: '2026-11-21T03:00:30.000Z',
    connectedAt: null,
    sip,
  };
  t.deepEqual(JSON.parse(eventBody(event)).call.transfer, {
    ...transfer,
    started_at: '2026-11-21T12:00:30.000+09:00',
    connected_at: null,
    sip: { status: 486, reason: 'Busy Here', call_id: 'def' },
  });
  event.snapshot.call.transfer.sip = null;
  t.false('sip' in JSON.parse(eventBody(event)).call.transfer);
});

test('writes metadata and custom INVITE headers, if any, into the body', (t) => {
  const event = endedCall();
  const plain = eventBody(event);
  Object.assign(event.snapshot.call, { metadata: null, sip_headers: null });
  t.is(eventBody(event), plain, 'nobody who knows nothing of them sees a change');
  const metadata = { order_id: 'A-1042' };
  const headers = { 'X-Ticket': '1042' };
  Object.assign(event.snapshot.call, { metadata, sip_headers: headers });
  const { call } = JSON.parse(eventBody(event));
  t.deepEqual(
    { ...call, metadata: undefined, sip: undefined },
    { ...JSON.parse(plain).call, metadata: undefined, sip: undefined },
  );
  t.deepEqual([call.metadata, call.sip], [metadata, { headers }]);
});

test('writes the Reason headers from the end of the call, if any, into the body', (t) => {
  const event = endedCall();
  const reasons = [{ protocol: 'SIP', cause: 603, text: 'Blocked' }];
  event.snapshot.call.sip_explanation = { reasons, callInfo: [] };
  t.deepEqual(JSON.parse(eventBody(event)).call.sip, { reasons });
  event.snapshot.call.sip_explanation = { reasons: [], callInfo: ['https://block.example'] };
  t.deepEqual(JSON.parse(eventBody(event)).call.sip, { call_info: ['https://block.example'] });
});

test('swaps from and to by the direction of the call', (t) => {
  const event = endedCall();
  event.snapshot.call.direction = 'inbound';
  const { call } = JSON.parse(eventBody(event));
  t.is(call.from, '01012345678');
  t.is(call.to, '0212345678');
});

test('writes the recording into the body of a recording event', (t) => {
  const event = endedCall();
  event.type = 'recording.completed';
  event.snapshot.recording = {
    status: 'completed',
    content_type: 'audio/mpeg',
    duration_sec: 59.8,
    bytes: 240_000,
    truncated: true,
  };
  t.deepEqual(JSON.parse(eventBody(event)).recording, {
    status: 'completed',
    content_type: 'audio/mpeg',
    duration_sec: 59.8,
    bytes: 240_000,
    truncated: true,
  });
});

test('writes the same bytes for an event, whatever the key order of its snapshot', (t) => {
  const event = endedCall();
  const { call } = event.snapshot;
  const reversed = Object.fromEntries(Object.entries(call).toReversed()) as typeof call;
  t.is(eventBody({ ...event, snapshot: { call: reversed, time_zone: 'Asia/Seoul' } }), eventBody(event));
});

// Test advice
// Advice about a rejected test event: a stable code, and texts in English and Korean.

type Given = {
  url?: string;
  failure?: EndpointFailureKind;
  detail?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
};

const adviceOn = ({
  url = 'https://hooks.internal:8443/events',
  failure,
  detail = '',
  status,
  headers = {},
  body = '',
}: Given) =>
  deliveryAdvice({
    url,
    timeoutMs: 15_000,
    failure: failure && new EndpointFailure(failure, detail),
    received: status === undefined ? null : { status, headers, body },
  });

const brokenBy = (detail: string): Given => ({ failure: 'connection_failed', detail });
const distrustedFor = (detail: string): Given => ({ failure: 'tls_failed', detail });
const redirectTo = (location?: string): Given => ({
  failure: 'redirect_refused',
  detail: 'HTTP 302',
  status: 302,
  headers: location === undefined ? {} : { location },
});
const page = { 'content-type': 'text/html' };

const cases: readonly (readonly [ServerTrouble, Given, RegExp])[] = [
  [
    'loopback_refused',
    { url: 'http://localhost:9000', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /GW_AGENT_ALLOW_LOOPBACK=1/,
  ],
  [
    'private_address',
    { failure: 'target_refused', detail: 'the host is at an address that may not be called' },
    /GW_AGENT_ALLOWED_HOSTS=hooks\.internal/,
  ],
  [
    'https_required',
    { url: 'http://hooks.internal', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /Begin the URL with https:/,
  ],
  [
    'https_required',
    { status: 400, body: 'The plain HTTP request was sent to HTTPS port' },
    /^Begin the URL with https:\/\/\.$/,
  ],
  [
    'unusable_url',
    { failure: 'target_refused', detail: 'The URL must not contain a fragment (the part from # on).' },
    /fragment/,
  ],
  ['name_unknown', brokenBy('ENOTFOUND'), /name hooks\.internal is not known\. Correct the host of the URL/],
  ['name_without_address', brokenBy('ENODATA'), /has no address/],
  ['name_servers_silent', brokenBy('ETIMEOUT'), /name servers/],
  ['connection_refused', brokenBy('ECONNREFUSED'), /Nothing listens at hooks\.internal:8443\..*of the URL/],
  ['unreachable', brokenBy('EHOSTUNREACH'), /no way to hooks\.internal:8443/],
  ['connection_closed', brokenBy('UND_ERR_SOCKET'), /without an answer/],
  ['connection_broken', { ...brokenBy('UND_ERR_SOCKET'), status: 200 }, /in the middle/],
  ['connection_broken', { failure: 'invalid_reply', detail: 'something else' }, /cannot be read/],
  ['no_connection_in_time', { failure: 'connect_timeout' }, /firewall/],
  ['certificate_expired', distrustedFor('CERT_HAS_EXPIRED'), /expired\. Renew/],
  ['certificate_not_yet_valid', distrustedFor('CERT_NOT_YET_VALID'), /not valid yet/],
  ['certificate_of_other_name', distrustedFor('ERR_TLS_CERT_ALTNAME_INVALID'), /for another name/],
  ['certificate_not_trusted', distrustedFor('SELF_SIGNED_CERT_IN_CHAIN'), /GW_AGENT_CA_FILE/],
  ['no_tls', distrustedFor('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/],
  ['tls_failed', distrustedFor('ERR_SSL_TLSV1_ALERT'), /ERR_SSL_TLSV1_ALERT/],
  ['redirect', redirectTo('/v2/events'), /to https:\/\/hooks\.internal:8443\/v2\/events, which the gateway/],
  ['redirect_to_sign_in', redirectTo('/login'), /page to log in/],
  ['redirect_to_nowhere', redirectTo(), /does not say where to/],
  ['not_http', { failure: 'invalid_reply', detail: 'the response is not HTTP' }, /not in HTTP/],
  [
    'unreadable_compression',
    { failure: 'invalid_reply', detail: 'the response is not compressed as it says' },
    /Content-Encoding/,
  ],
  ['over_capacity', { failure: 'over_capacity' }, /Too many trials/],
  ['not_answering_lately', { failure: 'circuit_open' }, /nothing was sent/],
  ['no_answer_in_time', {}, /within 15 s/],
  ['robot_protection', { status: 403, headers: { 'cf-mitigated': 'challenge' } }, /Cloudflare/],
  ['firewall', { status: 403, headers: page, body: '<p>Request blocked</p>' }, /firewall/],
  ['unauthorized', { status: 401 }, /wants a login \(HTTP 401\).*signature/],
  ['forbidden', { status: 403 }, /HTTP 403.*signature.*clock/],
  ['not_found', { status: 404 }, /nothing at this path of hooks\.internal:8443/],
  ['method_not_allowed', { status: 405 }, /takes no POST/],
  ['request_timeout', { status: 408 }, /did not wait/],
  ['gone', { status: 410 }, /removed for good/],
  ['length_required', { status: 411 }, /framing/],
  ['too_large', { status: 413 }, /too large/],
  ['wrong_content_type', { status: 415 }, /application\/json/],
  ['other_protocol', { status: 426 }, /another protocol/],
  ['too_many_requests', { status: 429, headers: { 'retry-after': '30' } }, /again after 30 s/],
  [
    'nothing_behind_proxy',
    { status: 502, headers: { server: 'nginx' } },
    /in front of the receiver \(nginx\).*HTTP 502/,
  ],
  ['unavailable', { status: 503 }, /HTTP 503/],
  ['server_error', { status: 500 }, /itself failed \(HTTP 500\)/],
  ['refused', { status: 422 }, /HTTP 422/],
];

for (const [code, given, expected] of cases) {
  test(`gives advice ${code} for ${JSON.stringify(given)}`, (t) => {
    const { code: told, words } = adviceOn(given);
    t.is(told, code);
    t.regex(words, expected);
    t.notRegex(words, /the agent|chat URL|\bcall\b/);
    const korean = explain(words, koreanSayings);
    t.regex(korean, /\p{Script=Hangul}/u);
    t.notRegex(korean, /\$\d/);
  });
}

test('every advice code occurs in a case above', (t) => {
  t.deepEqual(
    serverTroubles.filter((code) => !cases.some(([told]) => told === code)),
    [],
  );
});
