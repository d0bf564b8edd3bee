/** A receiver that fails in each way that the Standard Webhooks specification names, and in some more. */
import test from 'ava';
import { patchEndpoint, replayDelivery } from '#src/events/endpoints.ts';
import type { Answer, WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { openWorld, type EventWorld } from './event-world.ts';

/** Moves the clock on until it holds, in steps that leave what is under way enough real time. */
const inTheEnd = async (world: EventWorld, holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    world.clock.advance(1_000);
  }
};

/** By id: which event it was, and how often it came. */
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

test('every event arrives in the end, under one id, whatever the receiver does with it first', async (t) => {
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

test('a receiver that never gets well has every event among the dead, and gets it when it is replayed', async (t) => {
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
  await inTheEnd(world, async () => (await world.deliveries(id)).every(({ state }) => state === 'delivered'));
  t.is(receiver.received.length, 16);
  t.is(eventsAt(receiver).size, 4);
});

test('a receiver that is gone keeps what it did not get, for the day on which it is back', async (t) => {
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
