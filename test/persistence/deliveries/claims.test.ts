/** Which deliveries are claimed, by whom, and for how long. */
import test from 'ava';
import {
  nextDeliveryDueAt,
  releaseDeliveriesOf,
  releaseDelivery,
  type DeliveryClaim,
} from '#src/persistence/deliveries.ts';
import { recordDeliveryAttempt } from '#src/persistence/delivery-attempts.ts';
import { deliveriesChannel } from '#src/persistence/outbox.ts';
import {
  disableWebhookEndpoint,
  findWebhookEndpoint,
  patchWebhookEndpoint,
} from '#src/persistence/webhook-endpoints.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { at, attempt, claim, createWorld, only, type World } from './delivery-world.ts';

test('a due delivery is claimed once, with all that its attempt needs', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  await events(1);
  t.deepEqual(await claim(db, 0), []);
  const delivery = only(await claim(db, 1));
  t.like(delivery, { attempt: 1, failedInRound: 0, event: { type: 'call.ringing', at: at(1) } });
  t.is(delivery.event.snapshot.call.id, delivery.event.callId);
  t.deepEqual(delivery.endpoint, {
    id: endpointId,
    workspaceId: owner.workspaceId,
    url: 'https://example.com/hook',
    secretSealed: 'sealed',
    previousSecretSealed: null,
    previousSecretUntil: null,
  });
  t.deepEqual(await claim(db, 1), []);
});

test('claims at the same time never share a delivery', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1, 1, 1, 2, 2, 2, 3, 3);
  const claimed = (await Promise.all(Array.from({ length: 4 }, () => claim(db, 9, { free: 4 })))).flat();
  t.is(new Set(claimed.map(({ id }) => id)).size, claimed.length);
});

test('a claim falls due again when its lease ends, or when it is given back', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1);
  const { id } = only(await claim(db, 1));
  t.deepEqual(await claim(db, 60), []);
  t.is(only(await claim(db, 61)).id, id);
  await releaseDelivery(db, id);
  t.like(only(await claim(db, 62)), { id, attempt: 1 });
});

test('what a dead node had claimed is due again at once, and what others have claimed is not', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1, 2);
  const { id } = only(await claim(db, 2, { node: 'dead', free: 2 }));
  const other = only(await claim(db, 2, { node: 'living', free: 2 }));
  const notified = Promise.withResolvers<void>();
  const unlisten = await db.listen(deliveriesChannel, notified.resolve);
  t.teardown(unlisten);

  t.is(await releaseDeliveriesOf(db, 'dead'), 1);
  await notified.promise;
  t.like(only(await claim(db, 3)), { id, attempt: 1 });
  t.is(await releaseDeliveriesOf(db, 'dead'), 0);
  await recordDeliveryAttempt(db, other.id, attempt(1, 'HTTP 500'), {
    state: 'pending',
    nextAttemptAt: at(20),
  });
  t.is(await releaseDeliveriesOf(db, 'living'), 0, 'a claim ends with its attempt');
});

test('an endpoint never has more claimed than its share, and the others find room', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await events(1, 2, 3, 4, 5, 6, 7);
  const quick = await endpoint();
  await events(8);
  const first = await claim(db, 9, { perEndpoint: 3 });
  t.deepEqual(
    first.map(({ event }) => event.at).sort((a, b) => a.getTime() - b.getTime()),
    [at(1), at(2), at(3), at(8)],
  );
  t.deepEqual(await claim(db, 10, { perEndpoint: 3 }), []);
  t.is(first.filter((delivery) => delivery.endpoint.id === quick).length, 1);
  const [done] = first.filter((delivery) => delivery.endpoint.id !== quick);
  await recordDeliveryAttempt(db, done?.id ?? '', attempt(1), { state: 'delivered' });
  t.deepEqual(only(await claim(db, 10, { perEndpoint: 3 })).event.at, at(4));
});

test('those that have been due longest are claimed first', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  await endpoint();
  await endpoint();
  await events(3, 1, 2);
  const claimed = await claim(db, 9, { free: 4 });
  t.deepEqual(
    claimed.map(({ event }) => event.at),
    [at(1), at(1)],
  );
});

test('a workspace gets a place only while it holds fewer than are free, and who holds fewest comes first', async (t) => {
  const db = await ownDatabase(t);
  const [busy, other] = [await createWorld(t, db), await createWorld(t, db)];
  await busy.endpoint();
  await busy.endpoint();
  await busy.events(1, 1, 1, 1, 1);
  await other.endpoint();
  await other.events(9, 9);
  const taken = async (changes: Partial<DeliveryClaim>) => {
    const all = await claim(db, 10, changes);
    for (const { id } of all) await releaseDelivery(db, id);
    const of = ({ owner }: World) =>
      all.filter(({ endpoint }) => endpoint.workspaceId === owner.workspaceId).length;
    return [of(busy), of(other)];
  };

  t.deepEqual(await taken({ free: 100 }), [10, 2]);
  // As many places as each may have when both want them: a third, and a third remains.
  t.deepEqual(await taken({ free: 6 }), [2, 2]);
  t.deepEqual(await taken({ free: 1 }), [1, 0]);
  const hold = (count: number) => new Map([[busy.owner.workspaceId, count]]);
  t.deepEqual(await taken({ free: 1, held: hold(1) }), [0, 1]);
  t.deepEqual(await taken({ free: 10, held: hold(10) }), [0, 2]);
  t.deepEqual(await taken({ free: 10, held: hold(7) }), [1, 2]);
});

test('an endpoint that may have fewer gets no more than that', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  const resting = await endpoint();
  const tried = await endpoint();
  await events(1, 2, 3);
  const restrained = new Map([
    [resting, 0],
    [tried, 1],
  ]);
  t.is(only(await claim(db, 9, { restrained })).endpoint.id, tried);
  t.deepEqual(await claim(db, 9, { restrained }), []);
  t.is((await claim(db, 9)).length, 5);
});

test('what is due at an endpoint that is paused or disabled waits', async (t) => {
  const { db, owner, endpoint, events } = await createWorld(t);
  const endpointId = await endpoint();
  const wanted = { endpointId, workspaceId: owner.workspaceId };
  await events(1);
  await patchWebhookEndpoint(db, wanted, { state: 'paused' });
  t.deepEqual(await claim(db, 2), []);
  await disableWebhookEndpoint(db, endpointId, 'Gone');
  t.like(await findWebhookEndpoint(db, wanted), { state: 'disabled', disabledReason: 'Gone' });
  t.is(await nextDeliveryDueAt(db, at(0)), undefined);
  await events(2);
  t.like(await patchWebhookEndpoint(db, wanted, { state: 'active' }), {
    state: 'active',
    disabledReason: null,
  });
  t.deepEqual(only(await claim(db, 3)).event.at, at(1));
});

test('the next instant is a due time or the end of a lease, never one that has passed', async (t) => {
  const { db, endpoint, events } = await createWorld(t);
  t.is(await nextDeliveryDueAt(db, at(0)), undefined);
  await endpoint();
  await events(1, 200);
  t.deepEqual(await nextDeliveryDueAt(db, at(0)), at(1));
  t.deepEqual(await nextDeliveryDueAt(db, at(1)), at(200));
  await claim(db, 2);
  t.deepEqual(await nextDeliveryDueAt(db, at(2)), at(62));
});
