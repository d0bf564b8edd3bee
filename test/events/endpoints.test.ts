import { randomUUID } from 'node:crypto';
import test from 'ava';

import { Refusal } from '#src/domain/refusal.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpointDeliveries,
  listEndpoints,
  patchEndpoint,
  replayDelivery,
  rotateSecret,
} from '#src/events/endpoints.ts';
import { createWebhookTests } from '#src/events/test-event.ts';
import { findWebhookEndpoint } from '#src/persistence/webhook-endpoints.ts';
import { createEventWorld, openWorld } from './event-world.ts';

const request = { url: 'https://example.com/events', events: null, numberId: null };

test('creating an endpoint gives its secret out once; it is stored sealed', async (t) => {
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
    createdAt: new Date(world.clock.now()),
  });
  const scope = { endpointId: endpoint.id, workspaceId: world.workspaceId };
  t.deepEqual(await getEndpoint(db, scope), endpoint);
  t.deepEqual(await listEndpoints(db, world.workspaceId), [endpoint]);
  const sealed = (await findWebhookEndpoint(db, scope))?.secretSealed ?? '';
  t.false(sealed.includes(secret.slice(6)));
  t.is(world.administration.sealing.open(sealed, endpoint.id), secret);
});

test('two endpoints have two secrets', async (t) => {
  const { world } = await openWorld(t);
  const create = () => createEndpoint(world.administration, world.workspaceId, request);
  t.not((await create()).secret, (await create()).secret);
});

test('a URL that may not be called is refused when an endpoint is created and when it is changed', async (t) => {
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

test('a number of another workspace is refused as one that does not exist', async (t) => {
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

test('a change leaves alone what it does not name', async (t) => {
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

test('a new secret leaves the previous one valid for 24 hours', async (t) => {
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

test('what belongs to another workspace does not exist', async (t) => {
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

test('deleting an endpoint deletes its deliveries', async (t) => {
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

test('deliveries are listed newest first, page by page', async (t) => {
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

test('a test event goes to a paused endpoint too, signed, once, and says how it went', async (t) => {
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

test('a test that fails says what happened and what to change', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const tests = createWebhookTests({ ...world.administration, clients: world.clients, timeoutMs: 15_000 });
  const send = () => tests.send({ id, workspaceId: world.workspaceId });
  // The two that break a connection go first: on one that was kept they would be tried again.
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
  await receiver.close();
  const { httpStatus, advice } = await send();
  t.is(httpStatus, null);
  t.is(advice?.code, 'connection_refused');
});

test('a test that is not answered in time says so', async (t) => {
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
