import test from 'ava';

import type { DeliveryWorkerOptions } from '#src/events/delivery-worker.ts';
import { patchEndpoint, replayDelivery, rotateSecret } from '#src/events/endpoints.ts';
import type { Database } from '#src/persistence/database.ts';
import { claimDeliveries } from '#src/persistence/deliveries.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import type { WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { createEventWorld, type EventWorld } from './event-world.ts';

const openWorld = async (t: Parameters<typeof createEventWorld>[0]) => {
  const db = await ownDatabase(t);
  return { db, world: await createEventWorld(t, db) };
};

const typesAt = (receiver: WebhookReceiver): string[] =>
  receiver.received.map(({ rawBody }) => String(JSON.parse(rawBody).type)).toSorted();

/** Waits until the deliveries of an endpoint are in these states, newest first. */
const settled = async (world: EventWorld, endpointId: string, ...states: string[]) => {
  for (;;) {
    const deliveries = await world.deliveries(endpointId);
    if (deliveries.map(({ state }) => state).join() === states.join()) return deliveries;
    await new Promise(setImmediate);
  }
};

const onlyEnded = { events: ['call.ended' as const] };

test('what happens to a call arrives at once, signed, and is listed with its attempt', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  await world.startWorker();

  const callId = await world.call();

  await receiver.until(2);
  t.deepEqual(typesAt(receiver), ['call.ended', 'call.ringing']);
  for (const request of receiver.received) {
    const event = JSON.parse(request.rawBody);
    t.is(request.signedWith.length, 1);
    t.is(event.id, request.id);
    t.is(event.call.id, callId);
    t.is(event.call.status, event.type === 'call.ended' ? 'no_answer' : 'ringing');
  }
  const [delivery] = await settled(world, id, 'delivered', 'delivered');
  t.is(delivery?.nextAttemptAt, null);
  t.deepEqual(
    delivery?.attempts.map(({ attempt, httpStatus, error }) => ({ attempt, httpStatus, error })),
    [{ attempt: 1, httpStatus: 204, error: null }],
  );
});

test('what was stored while no worker ran is delivered when one starts', async (t) => {
  const { world } = await openWorld(t);
  const { receiver } = await world.endpoint();
  await world.call();
  await world.startWorker();
  await receiver.until(2);
  t.deepEqual(typesAt(receiver), ['call.ended', 'call.ringing']);
});

test('an endpoint gets the types and the number that it asks for', async (t) => {
  const { world } = await openWorld(t);
  const otherNumber = await world.addNumber();
  const everything = await world.endpoint();
  const ended = await world.endpoint(onlyEnded);
  const other = await world.endpoint({ numberId: otherNumber });
  const nothing = await world.endpoint({ ...onlyEnded, numberId: otherNumber, events: ['call.summarized'] });
  await world.startWorker();

  await world.call();
  await world.call(otherNumber);

  await Promise.all([everything.receiver.until(4), ended.receiver.until(2), other.receiver.until(2)]);
  t.deepEqual(typesAt(ended.receiver), ['call.ended', 'call.ended']);
  t.deepEqual(typesAt(other.receiver), ['call.ended', 'call.ringing']);
  t.deepEqual(await world.deliveries(nothing.id), []);
});

test('a failed delivery is tried again on schedule with the same id and the same bytes, then it is dead', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer({ status: 500 }, { status: 503 }, { status: 302, headers: { location: '/' } });
  await world.startWorker({ scheduleSec: [0, 5, 60] });

  await world.call();
  await receiver.until(1);
  await world.clock.timerIn(5_000);
  await db.execute(`update workspace set time_zone = 'Europe/Paris'`);
  world.clock.advance(5_000);
  await receiver.until(2);
  await world.clock.timerIn(60_000);
  t.is((await world.deliveries(id))[0]?.nextAttemptAt?.getTime(), world.clock.now() + 60_000);
  world.clock.advance(60_000);

  const [dead] = await settled(world, id, 'dead');
  t.deepEqual(
    dead?.attempts.map(({ attempt, httpStatus, error }) => [attempt, httpStatus, error]),
    [
      [1, 500, 'HTTP 500'],
      [2, 503, 'HTTP 503'],
      [3, 302, 'HTTP 302: redirects are not followed'],
    ],
  );
  const [first, second, third] = receiver.received;
  t.is(receiver.received.length, 3);
  t.is(new Set(receiver.received.map((request) => request.id)).size, 1);
  t.is(new Set(receiver.received.map((request) => request.rawBody)).size, 1);
  t.is((second?.timestamp ?? 0) - (first?.timestamp ?? 0), 5);
  t.is((third?.timestamp ?? 0) - (second?.timestamp ?? 0), 60);
});

test('a dead delivery that is replayed begins its schedule anew and keeps its attempts', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer({ status: 500 }, { status: 503 });
  await world.startWorker({ scheduleSec: [0] });
  await world.call();
  const [dead] = await settled(world, id, 'dead');
  const replay = () =>
    replayDelivery(db, {
      deliveryId: dead?.id ?? '',
      workspaceId: world.workspaceId,
      now: new Date(world.clock.now()),
    });

  t.is((await replay())?.state, 'pending');
  await receiver.until(2);
  await settled(world, id, 'dead');
  await replay();

  const [delivered] = await settled(world, id, 'delivered');
  t.deepEqual(
    delivered?.attempts.map(({ attempt, httpStatus }) => [attempt, httpStatus]),
    [
      [1, 500],
      [2, 503],
      [3, 204],
    ],
  );
});

test('an endpoint that holds its answers back and has a backlog holds up no other', async (t) => {
  const { world } = await openWorld(t);
  const slow = await world.endpoint();
  const release = Promise.withResolvers<void>();
  slow.receiver.answer(...Array.from({ length: 20 }, () => ({ after: release.promise })));
  await Promise.all(Array.from({ length: 10 }, () => world.call()));
  const quick = await world.endpoint();
  await world.startWorker({ perEndpoint: 2, inAll: 3 });
  await slow.receiver.until(2);

  await Promise.all(Array.from({ length: 5 }, () => world.call()));

  await quick.receiver.until(10);
  t.is(slow.receiver.received.length, 2);
  release.resolve();
  await slow.receiver.until(30);
  t.is(new Set(slow.receiver.received.map((request) => request.id)).size, 30);
});

test('a hanging endpoint is given up after the time limit and tried again', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer('hang');
  await world.startWorker();
  await world.call();
  await receiver.until(1);

  world.clock.advance(15_000);
  await world.clock.timerIn(5_000);
  world.clock.advance(5_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.deepEqual(
    delivery?.attempts.map(({ durationMs, error }) => [durationMs, error]),
    [
      [15_000, 'No answer within 15 s'],
      [0, null],
    ],
  );
});

test('410 ends the delivery and disables the endpoint until an admin brings it back', async (t) => {
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
  await world.call();
  await settled(world, id, 'delivered', 'dead');
  t.is(receiver.received.length, 2);
});

test('what waits for an endpoint that is gone is not sent', async (t) => {
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

test('what waits for a paused endpoint is held, and delivered when it is resumed', async (t) => {
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

test.failing('what happens while an endpoint is paused is delivered when it is resumed', async (t) => {
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

test('what a killed process had claimed is delivered when its lease ends', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();
  const now = world.clock.now();
  const claimed = await claimDeliveries(db, {
    now: new Date(now),
    until: new Date(now + 45_000),
    limit: 10,
    perEndpoint: 5,
  });
  t.is(claimed.length, 1);

  await world.startWorker();
  await world.clock.timerIn(45_000);
  t.is(receiver.received.length, 0);
  world.clock.advance(45_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received[0]?.id, claimed[0]?.event.id);
});

/** A database that breaks at the statements that contain `text`, as often as `times` says. */
const breaking = (db: Database, text: string, times: number): Database => ({
  ...db,
  async execute<Row>(sql: string, parameters?: readonly unknown[]) {
    if (sql.includes(text) && times-- > 0) throw new Error('Connection terminated unexpectedly');
    return db.execute<Row>(sql, parameters);
  },
});

test('an event whose outcome could not be stored is delivered again with the same id', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.startWorker({ db: breaking(db, 'insert into delivery_attempt', 1) });
  await world.call();
  await receiver.until(1);

  await world.clock.timerIn(45_000);
  world.clock.advance(45_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received.length, 2);
  t.is(receiver.received[0]?.id, receiver.received[1]?.id);
});

test('a worker whose database is away for a moment goes on when it is back', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver } = await world.endpoint(onlyEnded);
  await world.call();
  await world.startWorker({ db: breaking(db, 'claimed_until = $2', 1) });

  await world.clock.timerIn(1_000);
  t.is(receiver.received.length, 0);
  world.clock.advance(1_000);

  await receiver.until(1);
  t.pass();
});

test('a secret that cannot be opened costs an attempt, not the worker', async (t) => {
  const { db, world } = await openWorld(t);
  const broken = await world.endpoint(onlyEnded);
  await db.execute(`update webhook_endpoint set secret_sealed = 'nonsense'`);
  const sound = await world.endpoint(onlyEnded);
  await world.startWorker();
  await world.call();

  await settled(world, sound.id, 'delivered');
  await world.clock.timerIn(5_000);
  const [delivery] = await world.deliveries(broken.id);
  t.is(delivery?.attempts[0]?.error, 'The gateway could not make this attempt');
  t.is(broken.receiver.received.length, 0);
});

test('both secrets sign while one replaces the other, and only the new one after 24 hours', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const rotated = await rotateSecret(world.administration, {
    endpointId: id,
    workspaceId: world.workspaceId,
  });
  receiver.trust(rotated?.secret ?? '');
  await world.startWorker();

  await world.call();
  await receiver.until(1);
  world.clock.advance(24 * 60 * 60 * 1000);
  await world.call();
  await receiver.until(2);

  t.is(receiver.received[0]?.signedWith.length, 2);
  const signatures = receiver.received.map(
    ({ headers }) => String(headers['webhook-signature']).split(' ').length,
  );
  t.deepEqual(signatures, [2, 1]);
});

test('closing lets the attempts under way end and claims nothing more', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const release = Promise.withResolvers<void>();
  receiver.answer({ after: release.promise });
  const worker = await world.startWorker({ perEndpoint: 1 } satisfies Partial<DeliveryWorkerOptions>);
  await world.call();
  await receiver.until(1);

  const closed = worker.close();
  release.resolve();
  await closed;

  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['delivered', 'pending']);
  t.is(receiver.received.length, 1);
});

test('an attempt that closing breaks off is given back at once and does not count', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer('hang');
  const worker = await world.startWorker({ closeMs: 700 });
  await world.call();
  await receiver.until(1);

  const closed = worker.close();
  await world.clock.timerIn(700);
  world.clock.advance(700);
  await closed;
  t.deepEqual((await world.deliveries(id))[0]?.attempts, []);

  await world.startWorker();
  const [delivery] = await settled(world, id, 'delivered');
  t.deepEqual(
    delivery?.attempts.map(({ attempt }) => attempt),
    [1],
  );
});
