import test from 'ava';

import { replayDelivery, rotateSecret } from '#src/events/endpoints.ts';
import type { WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { until } from '#test/helpers/until.ts';
import { onlyEnded, openWorld, settled } from './event-world.ts';

const typesAt = (receiver: WebhookReceiver): string[] =>
  receiver.received.map(({ rawBody }) => String(JSON.parse(rawBody).type)).toSorted();

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

  // It may have died again by the time it is told.
  t.truthy(await replay());
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

test('the events of a call arrive in their order, also when one fails, and no other call waits for that', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  receiver.answer({ status: 500 });
  await world.startWorker();
  const first = await world.call();
  await receiver.until(1);
  const second = await world.call();
  await receiver.until(3);
  // The end of the first call waits for the second attempt of what was before it.
  await until('the failure is stored', async () => {
    const deliveries = await world.deliveries(id);
    return deliveries.some(({ attempts }) => attempts[0]?.httpStatus === 500) || undefined;
  });
  world.clock.advance(5_000);
  await settled(world, id, 'delivered', 'delivered', 'delivered', 'delivered');
  const arrivals = receiver.received.map(({ rawBody }) => {
    const { type, call } = JSON.parse(rawBody);
    return `${String(type)} of ${call.id === first ? 'the first' : call.id === second ? 'the second' : '?'}`;
  });
  t.deepEqual(arrivals, [
    'call.ringing of the first',
    'call.ringing of the second',
    'call.ended of the second',
    'call.ringing of the first',
    'call.ended of the first',
  ]);
});

test('an endpoint that asks for time is left alone for so long', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  receiver.answer({ status: 429, headers: { 'retry-after': '90' } });
  await world.startWorker();
  await world.call();
  await receiver.until(1);
  await world.clock.timerIn(60_000);
  world.clock.advance(60_000);
  await world.clock.timerIn(30_000);
  t.is(receiver.received.length, 1);
  world.clock.advance(30_000);
  await settled(world, id, 'delivered');
  t.is(receiver.received.length, 2);
});

test('an endpoint that holds its answers back and has a backlog holds up no other', async (t) => {
  const { world } = await openWorld(t);
  const slow = await world.endpoint();
  const release = Promise.withResolvers<void>();
  slow.receiver.answer(...Array.from({ length: 20 }, () => ({ after: release.promise })));
  await Promise.all(Array.from({ length: 10 }, () => world.call()));
  const quick = await world.endpoint();
  await world.startWorker({ perEndpoint: 2, inAll: 6 });
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
  await settled(world, id, 'delivered');
  world.clock.advance(24 * 60 * 60 * 1000);
  await world.call();
  await receiver.until(2);

  t.is(receiver.received[0]?.signedWith.length, 2);
  const signatures = receiver.received.map(
    ({ headers }) => String(headers['webhook-signature']).split(' ').length,
  );
  t.deepEqual(signatures, [2, 1]);
});
