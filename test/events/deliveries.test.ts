/** Delivery of webhook events: the worker, its recovery, fairness and retries. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { initialTransition, transition } from 'xstate';
import { deliveryPolicy } from '#config/policy.ts';
import { type DeliveryEvent, deliveryMachine } from '#machines/delivery.ts';
import { systemClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import { afterAttempt, deliver, type DeliveryOutcome, retryAfterMs } from '#src/events/attempt-delivery.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { createEndpoints, getEndpoint, rotateSecret } from '#src/events/endpoints.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Statements } from '#src/persistence/database/statements.ts';
import {
  replayDelivery,
  replayDelivery as replayStoredDelivery,
} from '#src/persistence/events/delivery-list.ts';
import { claimDueDeliveries } from '#src/persistence/events/claim-deliveries.ts';
import { claimDeliveries, releaseDelivery } from '#src/persistence/events/deliveries.ts';
import { recordDeliveryAttempt } from '#src/persistence/events/delivery-attempts.ts';
import { failingWebhooks } from '#src/persistence/events/failing-webhooks.ts';
import {
  noteEndpointFailure,
  patchWebhookEndpoint,
  type EndpointPatch,
} from '#src/persistence/events/webhook-endpoints.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { until } from '#test/helpers/until.ts';
import { type Answer, startWebhookReceiver, type WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { createEventWorld, onlyEnded, openWorld, settled } from './event-world.ts';
import { createSteppedClock } from './stepped-clock.ts';

// Deliver

const body = JSON.stringify({ id: 'evt_1', type: 'call.ended', call: { instruction: '예약 확인 ✓' } });

const client = createEndpointClient({
  rules: { allowedHosts: [], allowLoopback: true },
  connectMs: 60_000,
  maxBodyBytes: 64 * 1024,
  connectionsPerHost: 50,
});
test.after.always(() => client.close());

const receiverOf = async (secret: string): Promise<WebhookReceiver> => {
  const receiver = await startWebhookReceiver();
  receiver.trust(secret);
  return receiver;
};

const attempt = (
  receiver: { url: string },
  secrets: readonly string[],
  options: { clock?: Clock; signal?: AbortSignal } = {},
): Promise<DeliveryOutcome> =>
  deliver(
    { client, clock: options.clock ?? systemClock },
    {
      url: receiver.url,
      eventId: 'evt_1',
      body,
      secrets,
      timeoutMs: 15_000,
      signal: options.signal ?? new AbortController().signal,
    },
  );

test.serial(
  'signs so that the standardwebhooks package verifies, and sends the body byte for byte',
  async (t) => {
    const secret = newEndpointSecret();
    const receiver = await receiverOf(secret);
    t.teardown(receiver.close);

    const before = Math.floor(Date.now() / 1000);
    const outcome = await attempt(receiver, [secret]);

    t.is(outcome.result, 'delivered');
    t.is(outcome.httpStatus, 204);
    t.is(outcome.error, null);
    const [request] = receiver.received;
    t.is(request?.rawBody, body);
    t.is(request?.id, 'evt_1');
    t.deepEqual(request?.signedWith, [secret]);
    t.is(request?.headers['content-type'], 'application/json');
    t.true((request?.timestamp ?? 0) >= before);
  },
);

test.serial('signs with the second in which the attempt begins', async (t) => {
  const secret = newEndpointSecret();
  const receiver = await receiverOf(secret);
  t.teardown(receiver.close);
  const second = Math.floor(Date.now() / 1000);
  await attempt(receiver, [secret], { clock: { ...systemClock, now: () => second * 1000 + 999 } });
  t.is(receiver.received[0]?.timestamp, second);
});

test.serial('a receiver accepts events with the old or the new secret during a rotation', async (t) => {
  const [previous, current, strange] = [newEndpointSecret(), newEndpointSecret(), newEndpointSecret()];
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);

  receiver.trust(strange);
  t.is((await attempt(receiver, [current, previous])).httpStatus, 401);
  receiver.trust(previous);
  t.is((await attempt(receiver, [current, previous])).result, 'delivered');
  receiver.trust(current);
  await attempt(receiver, [current, previous]);
  t.deepEqual(receiver.received[2]?.signedWith, [previous, current]);
});

const answered = test.macro({
  title: (_, answer: Answer) => `classifies the response ${JSON.stringify(answer)} of an endpoint`,
  exec: async (t, answer: Answer, expected: Pick<DeliveryOutcome, 'result' | 'httpStatus' | 'error'>) => {
    const secret = newEndpointSecret();
    const receiver = await receiverOf(secret);
    t.teardown(receiver.close);
    receiver.answer(answer);
    const { durationMs, advice, ...outcome } = await attempt(receiver, [secret]);
    t.deepEqual(outcome, { retryAfterMs: null, ...expected });
    t.is(advice === null, expected.error === null);
    t.true(durationMs >= 0);
    t.is(receiver.received.length, 1);
  },
});

test.serial(answered, { status: 200, body: 'ok' }, { result: 'delivered', httpStatus: 200, error: null });
test.serial(answered, { status: 202 }, { result: 'delivered', httpStatus: 202, error: null });
test.serial(answered, 'endless', { result: 'delivered', httpStatus: 200, error: null });
test.serial(
  answered,
  { status: 302, headers: { location: '/elsewhere' } },
  { result: 'failed', httpStatus: 302, error: 'HTTP 302: redirects are not followed' },
);
test.serial(
  answered,
  { status: 304 },
  { result: 'failed', httpStatus: 304, error: 'HTTP 304: redirects are not followed' },
);
test.serial(answered, { status: 404 }, { result: 'failed', httpStatus: 404, error: 'HTTP 404' });
test.serial(
  answered,
  { status: 410 },
  { result: 'gone', httpStatus: 410, error: 'HTTP 410: the endpoint wants no more events' },
);
test.serial(
  answered,
  { status: 500, body: 'at secret.js:1' },
  { result: 'failed', httpStatus: 500, error: 'HTTP 500' },
);
test.serial(answered, 'reset', {
  result: 'failed',
  httpStatus: null,
  error: 'The connection failed: ECONNRESET',
});
test.serial(answered, 'garbage', { result: 'failed', httpStatus: null, error: 'The answer was not HTTP' });

test.serial('returns the Retry-After of a busy endpoint', async (t) => {
  const secret = newEndpointSecret();
  const receiver = await receiverOf(secret);
  t.teardown(receiver.close);
  const clock = createSteppedClock();
  const wished = async (status: number, retryAfter: string): Promise<number | null> => {
    receiver.answer({ status, headers: { 'retry-after': retryAfter } });
    return (await attempt(receiver, [secret], { clock })).retryAfterMs;
  };
  t.is(await wished(429, '120'), 120_000);
  t.is(await wished(503, '0'), 0);
  const inAMinute = await wished(503, new Date(clock.now() + 60_000).toUTCString());
  t.true(inAMinute !== null && inAMinute > 59_000 && inAMinute <= 60_000);
  t.is(await wished(429, 'soon'), null);
  t.is(await wished(500, '120'), null);
});

test.serial('reports an endpoint without a listener as a failed attempt', async (t) => {
  const outcome = await attempt({ url: noServer }, [newEndpointSecret()]);
  t.is(outcome.result, 'failed');
  t.is(outcome.error, 'The connection failed: ECONNREFUSED');
});

test.serial('ends an attempt to an unresponsive endpoint exactly at the time limit', async (t) => {
  const secret = newEndpointSecret();
  const receiver = await receiverOf(secret);
  t.teardown(receiver.close);
  receiver.answer('hang');
  const clock = createSteppedClock();

  let isOver = false;
  const outcome = attempt(receiver, [secret], { clock }).finally(() => (isOver = true));
  await receiver.until(1);
  clock.advance(14_999);
  await new Promise(setImmediate);
  t.false(isOver);
  clock.advance(1);

  const { advice, ...result } = await outcome;
  t.is(advice?.code, 'no_answer_in_time');
  t.deepEqual(result, {
    result: 'failed',
    httpStatus: null,
    error: 'No answer within 15 s',
    retryAfterMs: null,
    durationMs: 15_000,
  });
});

test.serial('reports an aborted attempt with an unknown result', async (t) => {
  const secret = newEndpointSecret();
  const receiver = await receiverOf(secret);
  t.teardown(receiver.close);
  receiver.answer('hang');
  const closing = new AbortController();

  const outcome = attempt(receiver, [secret], { signal: closing.signal });
  await receiver.until(1);
  closing.abort();

  t.is((await outcome).result, 'interrupted');
});

// Delivery worker

const typesAt = (receiver: WebhookReceiver): string[] =>
  receiver.received.map(({ rawBody }) => String(JSON.parse(rawBody).type)).toSorted();

test.serial('delivers an event of a call at once, signed, and lists it with its attempt', async (t) => {
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

test.serial('delivers events stored while no worker was running', async (t) => {
  const { world } = await openWorld(t);
  const { receiver } = await world.endpoint();
  await world.call();
  await world.startWorker();
  await receiver.until(2);
  t.deepEqual(typesAt(receiver), ['call.ended', 'call.ringing']);
});

test.serial('filters events by the types and the number of an endpoint', async (t) => {
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

test.serial(
  'retries a failed delivery on schedule with the same id and bytes until its last attempt fails',
  async (t) => {
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
  },
);

test.serial('an endpoint is failing from its first failed attempt until an attempt succeeds', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const { workspaceId } = world;
  const state = async () => {
    const endpoint = await getEndpoint(db, { endpointId: id, workspaceId });
    return [endpoint?.failingSince?.getTime() ?? null, endpoint?.lastFailure ?? null];
  };
  receiver.answer({ status: 500 }, { status: 503 });
  await world.startWorker({ scheduleSec: [0, 5, 60] });
  const begunAt = world.clock.now();
  await world.call();
  await world.clock.timerIn(5_000);
  await until('the first failure is stored', async () => (await state())[1] ?? undefined);
  t.deepEqual(await state(), [begunAt, 'HTTP 500']);
  world.clock.advance(5_000);
  await world.clock.timerIn(60_000);
  await until('the second failure is stored', async () => (await state())[1] === 'HTTP 503' || undefined);
  t.deepEqual(await state(), [begunAt, 'HTTP 503']);
  const failing = await getEndpoint(db, { endpointId: id, workspaceId });
  t.is(failing?.lastFailureCode, 'unavailable');
  t.regex(failing?.lastFailureAdvice ?? '', /cannot answer now \(HTTP 503\)/);
  t.is(failing?.lastSuccessAt, null);
  t.like((await failingWebhooks(db, workspaceId))[0], { id, dead: 0 });
  world.clock.advance(60_000);
  await settled(world, id, 'delivered');
  await until('it works', async () => (await state())[0] === null || undefined);
  t.deepEqual(await state(), [null, null]);
  const works = await getEndpoint(db, { endpointId: id, workspaceId });
  t.like(works, { lastFailureCode: null, lastFailureAdvice: null });
  t.is(works?.lastSuccessAt?.getTime(), world.clock.now());
  t.deepEqual(await failingWebhooks(db, workspaceId), []);
});

test.serial('reactivating an endpoint or changing its URL resets its failing state', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id: endpointId } = await world.endpoint(onlyEnded);
  const endpoint = { endpointId, workspaceId: world.workspaceId };
  const failedAt = new Date(world.clock.now());
  const since = async () => (await getEndpoint(db, endpoint))?.failingSince ?? null;
  const changes = [{ state: 'active' }, { url: 'https://example.com/others' }] as const;
  for (const change of changes) {
    await noteEndpointFailure(db, {
      endpointId,
      url: receiver.url,
      at: failedAt,
      failure: 'HTTP 500',
      code: null,
      advice: null,
      didRespond: true,
      coolingUntil: null,
    });
    await patchWebhookEndpoint(db, endpoint, { state: 'paused' });
    t.deepEqual(await since(), failedAt);
    await patchWebhookEndpoint(db, endpoint, change);
    t.is(await since(), null);
  }
});

test.serial('an event waits for the retry of an earlier event of its call', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const scope = { endpointId: id, workspaceId: world.workspaceId };
  const endpoints = createEndpoints(world.administration);
  receiver.answer({ status: 500 });
  await world.startWorker({ scheduleSec: [0, 60] });
  await world.call();
  await until('the failure is stored', async () => (await endpoints.get(scope))?.failingSince ?? undefined);
  world.clock.advance(10_000);
  const retryAt = new Date(world.clock.now() + 50_000);
  const listed = await endpoints.deliveries(scope, { limit: 10 });
  t.deepEqual(listed?.map(({ type, nextAttemptAt }) => [type, nextAttemptAt]).toSorted(), [
    ['call.ended', retryAt],
    ['call.ringing', retryAt],
  ]);
  t.deepEqual((await endpoints.get(scope))?.nextAttemptAt, retryAt);
  await endpoints.patch(scope, { state: 'paused' });
  t.is((await endpoints.get(scope))?.nextAttemptAt, null);
  for (const delivery of (await endpoints.deliveries(scope, { limit: 10 })) ?? [])
    t.like(delivery, { nextAttemptAt: null, waitsFor: 'resumption' });
});

test.serial('replaying a dead delivery restarts its schedule and keeps its attempts', async (t) => {
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

  // The process may have died again before the report.
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

test.serial(
  'delivers events of a call in order even if one fails, without delaying other calls',
  async (t) => {
    const { world } = await openWorld(t);
    const { receiver, id } = await world.endpoint();
    receiver.answer({ status: 500 });
    await world.startWorker();
    const first = await world.call();
    await receiver.until(1);
    const second = await world.call();
    await receiver.until(3);
    // The end of the first call waits for the second attempt of the event before it.
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
  },
);

test.serial('sends an endpoint no event until its Retry-After has passed', async (t) => {
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

test.serial('does not delay other endpoints for a slow one with a backlog', async (t) => {
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

test.serial('ends an attempt to an unresponsive endpoint after the time limit and retries', async (t) => {
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

test.serial(
  'signs with both secrets during a rotation, and only with the new one after 24 hours',
  async (t) => {
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
  },
);

// Delivery worker recovery

/** A database that rejects the given queries the first `times` times. */
const breaking = (db: Database, isMeant: (sql: string) => boolean, times: number): Database => {
  const breakingIn = <Some extends Statements>(statements: Some): Some => ({
    ...statements,
    execute<Found>(sql: string, parameters?: readonly unknown[]) {
      if (isMeant(sql) && times-- > 0) return Promise.reject(new Error('Connection terminated unexpectedly'));
      return statements.execute<Found>(sql, parameters);
    },
  });
  return {
    ...breakingIn(db),
    transaction: (work) => db.transaction((statements, manager) => work(breakingIn(statements), manager)),
  };
};

const isClaim = (sql: string): boolean => sql === claimDueDeliveries.text;

const isOutcome = (sql: string): boolean => sql.includes('insert into "delivery_attempt"');

test.serial('delivers events claimed by a killed process when the lease ends', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();
  const now = world.clock.now();
  const claimed = await claimDeliveries(db, {
    node: 'another',
    now: new Date(now),
    until: new Date(now + 45_000),
    free: 10,
    held: new Map(),
    perEndpoint: 5,
    restrained: new Map(),
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

test.serial(
  'delivers events claimed by a killed process of the same node as soon as the node restarts',
  async (t) => {
    const { db, world } = await openWorld(t);
    const { receiver, id } = await world.endpoint(onlyEnded);
    await world.call();
    const now = world.clock.now();
    const until = new Date(now + 45_000);
    const places = { free: 10, held: new Map(), perEndpoint: 5, restrained: new Map() };
    const claim = { node: 'gateway', now: new Date(now), until, ...places };
    t.is((await claimDeliveries(db, claim)).length, 1);

    await world.startWorker({ node: 'gateway' });

    const [delivery] = await settled(world, id, 'delivered');
    t.is(delivery?.attempts.length, 1);
    t.is(receiver.received.length, 1);
  },
);

test.serial('sends an event again with the same id if its result could not be stored', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.startWorker({ db: breaking(db, isOutcome, 1) });
  await world.call();
  await receiver.until(1);

  await world.clock.timerIn(45_000);
  world.clock.advance(45_000);

  const [delivery] = await settled(world, id, 'delivered');
  t.is(delivery?.attempts.length, 1);
  t.is(receiver.received.length, 2);
  t.is(receiver.received[0]?.id, receiver.received[1]?.id);
});

test.serial('a delivery worker continues when its database is reachable again', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver } = await world.endpoint(onlyEnded);
  await world.call();
  await world.startWorker({ db: breaking(db, isClaim, 1) });

  await world.clock.timerIn(1_000);
  t.is(receiver.received.length, 0);
  world.clock.advance(1_000);

  await receiver.until(1);
  t.pass();
});

test.serial('an undecryptable secret fails the attempt, but does not stop the worker', async (t) => {
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

test.serial('close finishes current attempts and claims no more deliveries', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint();
  const release = Promise.withResolvers<void>();
  receiver.answer({ after: release.promise });
  const worker = await world.startWorker({ perEndpoint: 1 });
  await world.call();
  await receiver.until(1);

  const closed = worker.close();
  release.resolve();
  await closed;

  t.deepEqual((await world.deliveries(id)).map(({ state }) => state).toSorted(), ['delivered', 'pending']);
  t.is(receiver.received.length, 1);
});

test.serial('leaves deliveries claimed during the close of a worker to the next one', async (t) => {
  const { world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  await world.call();

  // The first poll of the worker is in progress.
  const worker = await world.startWorker();
  await worker.close();
  t.is(receiver.received.length, 0);
  t.deepEqual(
    (await world.deliveries(id)).map(({ state }) => state),
    ['pending'],
  );

  await world.startWorker();
  await settled(world, id, 'delivered');
  t.is(receiver.received.length, 1);
});

test.serial('releases an aborted attempt at once on close, without counting it', async (t) => {
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

// Delivery chart
// The rows of deliveries and their chart take the same transitions, for any actor.

const attemptTimes = { ...deliveryPolicy, scheduleSec: [0, 5, 60] };
const leaseMs = 45_000;

type Step = Exclude<DeliveryEvent['type'], 'claimed'> | 'time goes by';

const step = fc.constantFrom<Step>(
  'attempt.delivered',
  'attempt.failed',
  'attempt.failed',
  'attempt.failed',
  'attempt.gone',
  'released',
  'replayed',
  'time goes by',
);

/** The only row. */
const stateOfRow = async (db: Database, now: number): Promise<string> => {
  const [found] = await db.execute<{ state: string; due: Date; until: Date | null }>(
    'select state, next_attempt_at as due, claimed_until as until from event_delivery',
  );
  if (found === undefined || found.state !== 'pending') return found?.state ?? 'gone';
  if (found.until !== null && found.until.getTime() > now) return 'attempting';
  return found.due.getTime() > now ? 'waiting' : 'pending';
};

const claimAt = (db: Database, now: number) =>
  claimDeliveries(db, {
    node: 'test',
    now: new Date(now),
    until: new Date(now + leaseMs),
    free: 2,
    held: new Map(),
    restrained: new Map(),
    perEndpoint: 1,
  });

test.serial('the stored delivery and its statechart have the same state after every step', async (t) => {
  const { db, world } = await openWorld(t);
  await world.endpoint(onlyEnded);
  const { workspaceId } = world;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      await db.execute('delete from event_delivery');
      await world.call();
      const [row] = await db.execute<{ id: string; due: Date }>(
        'select id, next_attempt_at as due from event_delivery',
      );
      const id = row?.id ?? '';
      let now = row?.due.getTime() ?? 0;
      let [chart] = initialTransition(deliveryMachine, { times: attemptTimes, failures: 0 });
      const send = (event: DeliveryEvent): void => {
        [chart] = transition(deliveryMachine, chart, event);
      };

      const rowState = () => stateOfRow(db, now);
      const claim = () => claimAt(db, now);

      const attempt = async (type: Extract<Step, `attempt.${string}`>): Promise<void> => {
        const [claimed] = await claim();
        // Only pending deliveries can be claimed.
        t.is(claimed !== undefined, chart.matches('pending'));
        if (claimed === undefined) return;
        send({ type: 'claimed' });
        t.is(await rowState(), 'attempting');
        const event =
          type === 'attempt.failed'
            ? ({ type, chance: 0, retryAfterMs: null } as const)
            : ({ type } as const);
        const next = afterAttempt({ times: attemptTimes, failures: claimed.failedInRound }, event);
        const record = {
          attempt: claimed.attempt,
          at: new Date(now),
          durationMs: 0,
          httpStatus: 200,
          error: null,
          code: null,
          advice: null,
        };
        await recordDeliveryAttempt(
          db,
          id,
          record,
          next.state === 'waiting'
            ? { state: 'pending', nextAttemptAt: new Date(now + next.retryMs) }
            : { state: next.state },
        );
        send(event);
      };

      for (const type of steps) {
        if (type === 'time goes by') {
          now += 100_000;
          if (chart.matches('waiting')) [chart] = initialTransition(deliveryMachine, chart.context);
        } else if (type === 'released') {
          if ((await claim()).length > 0) send({ type: 'claimed' });
          await releaseDelivery(db, id);
          send({ type });
        } else if (type === 'replayed') {
          await replayStoredDelivery(db, { deliveryId: id, workspaceId, now: new Date(now) });
          send({ type });
        } else await attempt(type);
        t.is(await rowState(), chart.value, `after ${type} of ${steps.join(', ')}`);
      }
    }),
    { numRuns: 40 },
  );
});

// Fairness
// Slow and dead endpoints of one workspace do not affect others. No time is measured: the clock stands still.

const timesOf = <Value>(count: number, make: () => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, make));

const claimed = async (db: Database): Promise<number> =>
  (await db.execute('select 1 from event_delivery where claimed_until is not null')).length;

test.serial(
  'limits twelve hanging endpoints of one workspace to half of the attempts, so that another workspace gets its events at once',
  async (t) => {
    const { db, world } = await openWorld(t);
    const hanging = await timesOf(12, () => world.endpoint(onlyEnded));
    for (const { receiver } of hanging) receiver.answer(...Array.from({ length: 10 }, () => 'hang' as const));
    await timesOf(10, () => world.call());
    await world.startWorker({ perEndpoint: 5, inAll: 100 });
    const underWay = () => hanging.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
    while (underWay() < 50) await new Promise(setImmediate);

    const other = await createEventWorld(t, db, world);
    const good = await other.endpoint(onlyEnded);
    await timesOf(10, () => other.call());
    await good.receiver.until(10);

    await settled(other, good.id, ...Array.from({ length: 10 }, () => 'delivered'));
    t.is(underWay(), 50);
    t.is(await claimed(db), 50);
  },
);

test.serial(
  'pauses an unresponsive endpoint, tries it with one delivery, then sends the queued ones',
  async (t) => {
    const { db, world } = await openWorld(t);
    const { receiver, id } = await world.endpoint(onlyEnded);
    const release = Promise.withResolvers<void>();
    receiver.answer(...Array.from({ length: 5 }, () => 'hang' as const), { after: release.promise });
    const breakers = { opensAfter: 5, coolDown: { firstMs: 7_000, longestMs: 60_000 } };
    await world.startWorker({ perEndpoint: 5, breakers });
    await timesOf(5, () => world.call());
    await receiver.until(5);

    world.clock.advance(15_000);
    await until('all five have failed', async () => {
      const failed = (await world.deliveries(id)).filter(({ attempts }) => attempts.length === 1);
      return failed.length === 5 || undefined;
    });
    const scope = { endpointId: id, workspaceId: world.workspaceId };
    const endpoints = createEndpoints(world.administration);
    const trialAt = await until('the cool-down is stored', async () => {
      const { coolingUntil } = (await getEndpoint(db, scope)) ?? {};
      return coolingUntil ?? undefined;
    });
    await timesOf(3, () => world.call());
    await world.clock.timerIn(5_000);
    // The retries are due, but must wait, as the new deliveries must.
    world.clock.advance(5_000);
    await world.clock.timerIn(2_000);
    t.is(receiver.received.length, 5);
    t.is(trialAt.getTime(), world.clock.now() + 2_000);
    t.deepEqual((await endpoints.get(scope))?.nextAttemptAt, trialAt);
    for (const delivery of (await endpoints.deliveries(scope, { limit: 100 })) ?? [])
      t.like(delivery, { state: 'pending', nextAttemptAt: trialAt, waitsFor: 'receiver' });
    world.clock.advance(2_000);
    await receiver.until(6);
    t.is(await claimed(db), 1);
    t.deepEqual(
      (await world.deliveries(id))
        .map(({ attempts }) => attempts.length)
        .toSorted((one, other) => one - other),
      [0, 0, 0, 1, 1, 1, 1, 1],
    );

    release.resolve();
    await settled(world, id, ...Array.from({ length: 8 }, () => 'delivered'));
    t.is(receiver.received.length, 13);
  },
);

/** Changes of an endpoint after which it is tried at once; `url` is that of another receiver. */
const restarts: readonly [string, (url: string) => EndpointPatch][] = [
  ['resuming an endpoint', () => ({ state: 'active' })],
  ['a new URL of an endpoint', (url) => ({ url })],
];

for (const [title, patchTo] of restarts)
  test.serial(`${title} ends its cool-down at every gateway at once`, async (t) => {
    const { db, world } = await openWorld(t);
    const { receiver, id } = await world.endpoint(onlyEnded);
    const endpoint = { endpointId: id, workspaceId: world.workspaceId };
    const cooledUntil = (at: number) =>
      until('the cool-down is stored', async () =>
        (await getEndpoint(db, endpoint))?.coolingUntil?.getTime() === at ? true : undefined,
      );
    const coolMs = 3_600_000;
    const breakers = { opensAfter: 1, coolDown: { firstMs: coolMs, longestMs: coolMs } };
    // Each gateway has a place for one attempt, so that two attempts at the same time are those of both.
    const startGateway = (node: string) => world.startWorker({ node, breakers, perEndpoint: 2, inAll: 1 });
    receiver.answer('reset', 'reset', 'hang', 'hang');
    await startGateway('one');
    await world.call();
    await cooledUntil(world.clock.now() + coolMs);
    world.clock.advance(1_000);
    await startGateway('two');
    await world.call();
    await cooledUntil(world.clock.now() + coolMs);
    // The retries of both events are due.
    world.clock.advance(5_000);

    const other = await startWebhookReceiver();
    t.teardown(other.close);
    const rotated = await rotateSecret(world.administration, endpoint);
    other.trust(rotated?.secret ?? '');
    other.answer('hang', 'hang');
    const patch = patchTo(other.url);
    const [target, before] = patch.url === undefined ? [receiver, 2] : [other, 0];
    t.is(target.received.length, before);
    await patchWebhookEndpoint(db, endpoint, patch);
    await target.until(before + 2);
    const claims = await db.execute('select claimed_by from event_delivery order by claimed_by');
    t.deepEqual(claims, [{ claimed_by: 'one' }, { claimed_by: 'two' }]);
    t.is((await getEndpoint(db, endpoint))?.coolingUntil, null);
  });

test.serial('failures at the former URL of an endpoint do not count for its new one', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const endpoint = { endpointId: id, workspaceId: world.workspaceId };
  const coolMs = 3_600_000;
  const breakers = { opensAfter: 1, coolDown: { firstMs: coolMs, longestMs: coolMs } };
  receiver.answer('hang');
  await world.startWorker({ breakers });
  await world.call();
  await receiver.until(1);

  const other = await startWebhookReceiver();
  t.teardown(other.close);
  const rotated = await rotateSecret(world.administration, endpoint);
  other.trust(rotated?.secret ?? '');
  await patchWebhookEndpoint(db, endpoint, { url: other.url });
  world.clock.advance(deliveryPolicy.timeoutMs);
  await until('the attempt has failed', async () =>
    (await world.deliveries(id)).some(({ attempts }) => attempts.length === 1) ? true : undefined,
  );
  // An event that follows the failure is delivered although the failure would have opened the breaker.
  await world.call();
  await other.until(1);
  t.is((await getEndpoint(db, endpoint))?.failingSince, null);
});

test.serial('a late 410 from the former URL of an endpoint is a failure that leaves it active', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const endpoint = { endpointId: id, workspaceId: world.workspaceId };
  const late = Promise.withResolvers<void>();
  receiver.answer({ after: late.promise, status: 410 });
  await world.startWorker();
  await world.call();
  await receiver.until(1);

  const other = await startWebhookReceiver();
  t.teardown(other.close);
  const rotated = await rotateSecret(world.administration, endpoint);
  other.trust(rotated?.secret ?? '');
  await patchWebhookEndpoint(db, endpoint, { url: other.url });
  late.resolve();
  await world.clock.timerIn(5_000);
  t.like(await getEndpoint(db, endpoint), { state: 'active', disabledReason: null, failingSince: null });

  world.clock.advance(5_000);
  await settled(world, id, 'delivered');
  t.is(other.received.length, 1);
});

test.serial('a success at another gateway leaves the cool-down of this one', async (t) => {
  const { db, world } = await openWorld(t);
  const { receiver, id } = await world.endpoint(onlyEnded);
  const coolMs = 3_600_000;
  const breakers = { opensAfter: 1, coolDown: { firstMs: coolMs, longestMs: coolMs } };
  receiver.answer('reset');
  await world.startWorker({ node: 'one', breakers });
  await world.call();
  await until('the cool-down is stored', async () => {
    const { coolingUntil } =
      (await getEndpoint(db, { endpointId: id, workspaceId: world.workspaceId })) ?? {};
    return coolingUntil ?? undefined;
  });
  const two = await world.startWorker({ node: 'two', breakers });
  world.clock.advance(5_000);
  await settled(world, id, 'delivered');
  await two.close();
  world.clock.advance(1_000);
  await world.call();
  await world.clock.timerIn(60_000);
  t.deepEqual(
    (await world.deliveries(id)).map(({ state }) => state),
    ['pending', 'delivered'],
  );
});

test.serial('counts an error status as a response of the endpoint', async (t) => {
  const { world } = await openWorld(t);
  const { receiver } = await world.endpoint(onlyEnded);
  receiver.answer(...Array.from({ length: 6 }, () => ({ status: 500 })));
  const breakers = { opensAfter: 2, coolDown: { firstMs: 60_000, longestMs: 60_000 } };
  await world.startWorker({ perEndpoint: 1, breakers });
  await timesOf(6, () => world.call());
  t.is((await receiver.until(6)).length, 6);
});

// Retry after

const now = Date.UTC(2026, 10, 21, 3, 0, 0, 500);

test('reads Retry-After as seconds or as a date', (t) => {
  t.is(retryAfterMs('0', now), 0);
  t.is(retryAfterMs(' 120 ', now), 120_000);
  t.is(retryAfterMs('Sat, 21 Nov 2026 03:01:00 GMT', now), 59_500);
  t.is(retryAfterMs(['7', '9'], now), 7_000);
});

test('reads a past date in Retry-After as no delay', (t) => {
  t.is(retryAfterMs('Sun, 06 Nov 1994 08:49:37 GMT', now), 0);
});

test('ignores any other value of Retry-After', (t) => {
  for (const value of [
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    '2026-11-21',
    '21 Nov 2026',
    'Sat, 99 Xxx 2026 03:01:00 GMT',
  ])
    t.is(retryAfterMs(value, now), null, String(value));
});

test('any value of Retry-After yields a delay or none', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,400}$/)), (value) => {
      const wish = retryAfterMs(value, now);
      t.true(wish === null || wish >= 0);
    }),
  );
});

// Day without receiver
// A customer's receiver that is down for a whole day, on a simulated clock.

const hourMs = 3_600_000;

/** Resets connections until it is up; then counts received events by id. */
const fragileReceiver = async (t: ExecutionContext) => {
  const taken = new Map<string, number>();
  let isUp = false;
  let refused = 0;
  const server = createServer((request, response) => {
    if (!isUp) {
      refused += 1;
      request.socket.resetAndDestroy();
      return;
    }
    const id = String(request.headers['webhook-id']);
    taken.set(id, (taken.get(id) ?? 0) + 1);
    request.resume();
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    taken,
    refused: () => refused,
    goUp: () => void (isUp = true),
  };
};

test.serial('delivers each event once to a receiver that was down for a day', async (t) => {
  const { world } = await openWorld(t);
  const receiver = await fragileReceiver(t);
  const { id } = await world.endpoint({ url: receiver.url });
  // Real attempts are short; the jumps of the simulated clock do not matter to them.
  const tireless = { timeoutMs: 1_000 * hourMs };
  let worker = await world.startWorker(tireless);
  const pass = async (hours: number): Promise<void> => {
    for (let step = 0; step < hours * 6; step += 1) {
      world.clock.advance(hourMs / 6);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  for (let hour = 0; hour < 24; hour += 2) {
    await world.call();
    await pass(2);
    if (hour !== 12) continue;
    // A deployment during the outage.
    await worker.close();
    worker = await world.startWorker(tireless);
  }
  t.true(receiver.refused() > 0);
  t.deepEqual([...receiver.taken], []);
  receiver.goUp();

  const isDelivered = async () =>
    (await world.deliveries(id)).every(({ state }) => state === 'delivered' || state === 'dead');
  while (!(await isDelivered())) await pass(1);
  const deliveries = await world.deliveries(id);
  t.is(deliveries.length, 24);
  t.true(deliveries.every(({ state }) => state === 'delivered'));
  t.deepEqual([...receiver.taken.keys()].toSorted(), deliveries.map(({ eventId }) => eventId).toSorted());
  t.true([...receiver.taken.values()].every((times) => times === 1));
});
