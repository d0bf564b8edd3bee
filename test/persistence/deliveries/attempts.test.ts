/** Attempts of deliveries, and what they do to their endpoints. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { recordDeliveryAttempt } from '#src/persistence/delivery-attempts.ts';
import { listDeliveries, replayDelivery } from '#src/persistence/delivery-list.ts';
import {
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  patchWebhookEndpoint,
  rotateEndpointSecret,
} from '#src/persistence/webhook-endpoints.ts';
import { at, attempt, claim, createWorld, only } from './delivery-world.ts';

test('each attempt is stored once, with what becomes of the delivery', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  t.true(
    await recordDeliveryAttempt(db, id, attempt(1, 'HTTP 500'), { state: 'pending', nextAttemptAt: at(20) }),
  );
  t.false(await recordDeliveryAttempt(db, id, attempt(1), { state: 'delivered' }));
  t.deepEqual(await claim(db, 19), []);
  t.like(only(await claim(db, 20)), { id, attempt: 2, failedInRound: 1 });
  t.true(await recordDeliveryAttempt(db, id, attempt(2), { state: 'delivered' }));
  t.deepEqual(await claim(db, 1_000), []);
  const [listed] = await listDeliveries(db, { endpointId, limit: 10 });
  t.like(listed, {
    id,
    state: 'delivered',
    nextAttemptAt: null,
    finishedAt: new Date(at(10).getTime() + 1_500),
  });
  t.deepEqual(listed?.attempts, [attempt(1, 'HTTP 500'), attempt(2)]);
});

test('a dead delivery that is replayed begins its schedule anew and keeps its attempts', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  await recordDeliveryAttempt(db, id, attempt(1, 'HTTP 500'), { state: 'dead' });
  t.deepEqual(await claim(db, 1_000), []);
  const replay = { deliveryId: id, now: at(30) };
  t.is(await replayDelivery(db, { ...replay, workspaceId: randomUUID() }), undefined);
  t.like(await replayDelivery(db, { ...replay, workspaceId: owner.workspaceId }), {
    id,
    state: 'pending',
    nextAttemptAt: at(30),
    finishedAt: null,
  });
  t.like(only(await claim(db, 30)), { id, attempt: 2, failedInRound: 0 });
  await recordDeliveryAttempt(db, id, attempt(2), { state: 'delivered' });
  const [listed] = await listDeliveries(db, { endpointId, limit: 10 });
  t.is(listed?.attempts.length, 2);
});

test('deliveries are listed newest first, page by page, by state', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1, 2, 2, 2, 3);
  const whole = await listDeliveries(db, { endpointId, limit: 10 });
  t.deepEqual(
    whole.map(({ createdAt }) => createdAt),
    [at(3), at(2), at(2), at(2), at(1)],
  );
  const first = await listDeliveries(db, { endpointId, limit: 2 });
  const second = await listDeliveries(db, { endpointId, limit: 10, after: first.at(-1) });
  t.deepEqual([...first, ...second], whole);
  await recordDeliveryAttempt(db, whole[0]?.id ?? '', attempt(1), { state: 'dead' });
  t.is((await listDeliveries(db, { endpointId, limit: 10, state: 'dead' })).length, 1);
  t.is((await listDeliveries(db, { endpointId, limit: 10, state: 'pending' })).length, 4);
});

test('an endpoint belongs to its workspace, and is changed, rotated and deleted with its deliveries', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  const wanted = { endpointId, workspaceId: owner.workspaceId };
  const stranger = { endpointId, workspaceId: randomUUID() };
  t.is(await findWebhookEndpoint(db, stranger), undefined);
  t.is(await patchWebhookEndpoint(db, stranger, { url: 'https://b' }), undefined);
  t.is(await rotateEndpointSecret(db, stranger, { secretSealed: 'x', previousUntil: at(5) }), undefined);
  t.false(await deleteWebhookEndpoint(db, stranger));

  t.like(
    await patchWebhookEndpoint(db, wanted, {
      events: ['call.ended'],
      numberId: owner.numberId,
      url: undefined,
    }),
    {
      events: ['call.ended'],
      numberId: owner.numberId,
      url: 'https://example.com/hook',
    },
  );
  t.like(await patchWebhookEndpoint(db, wanted, { events: null, numberId: null }), {
    events: null,
    numberId: null,
  });
  t.like(await rotateEndpointSecret(db, wanted, { secretSealed: 'new', previousUntil: at(5) }), {
    secretSealed: 'new',
    previousSecretSealed: 'sealed',
    previousSecretUntil: at(5),
  });
  t.deepEqual(
    (await listWebhookEndpoints(db, owner.workspaceId)).map(({ id }) => id),
    [endpointId],
  );

  const { id } = only(await claim(db, 1));
  await recordDeliveryAttempt(db, id, attempt(1), { state: 'delivered' });
  t.true(await deleteWebhookEndpoint(db, wanted));
  t.deepEqual(await listDeliveries(db, { endpointId, limit: 10 }), []);
});
