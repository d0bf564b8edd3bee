import test from 'ava';

import { systemClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import { deliver, type DeliveryOutcome } from '#src/events/deliver.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import { startWebhookReceiver, type Answer, type WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { createSteppedClock } from './stepped-clock.ts';

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

test('the standardwebhooks package accepts the signature, and the body arrives byte for byte', async (t) => {
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
});

test('the signature is of the second in which the attempt began', async (t) => {
  const secret = newEndpointSecret();
  const receiver = await receiverOf(secret);
  t.teardown(receiver.close);
  const second = Math.floor(Date.now() / 1000);
  await attempt(receiver, [secret], { clock: { ...systemClock, now: () => second * 1000 + 999 } });
  t.is(receiver.received[0]?.timestamp, second);
});

test('while a secret is replaced, a receiver that knows either of the two accepts the event', async (t) => {
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
  title: (_, answer: Answer) => `an endpoint that answers ${JSON.stringify(answer)}`,
  exec: async (t, answer: Answer, expected: Omit<DeliveryOutcome, 'durationMs' | 'retryAfterMs'>) => {
    const secret = newEndpointSecret();
    const receiver = await receiverOf(secret);
    t.teardown(receiver.close);
    receiver.answer(answer);
    const { durationMs, ...outcome } = await attempt(receiver, [secret]);
    t.deepEqual(outcome, { retryAfterMs: null, ...expected });
    t.true(durationMs >= 0);
    t.is(receiver.received.length, 1);
  },
});

test(answered, { status: 200, body: 'ok' }, { result: 'delivered', httpStatus: 200, error: null });
test(answered, { status: 202 }, { result: 'delivered', httpStatus: 202, error: null });
test(answered, 'endless', { result: 'delivered', httpStatus: 200, error: null });
test(
  answered,
  { status: 302, headers: { location: '/elsewhere' } },
  { result: 'failed', httpStatus: 302, error: 'HTTP 302: redirects are not followed' },
);
test(
  answered,
  { status: 304 },
  { result: 'failed', httpStatus: 304, error: 'HTTP 304: redirects are not followed' },
);
test(answered, { status: 404 }, { result: 'failed', httpStatus: 404, error: 'HTTP 404' });
test(
  answered,
  { status: 410 },
  { result: 'gone', httpStatus: 410, error: 'HTTP 410: the endpoint wants no more events' },
);
test(
  answered,
  { status: 500, body: 'at secret.js:1' },
  { result: 'failed', httpStatus: 500, error: 'HTTP 500' },
);
test(answered, 'reset', { result: 'failed', httpStatus: null, error: 'The connection failed: ECONNRESET' });
test(answered, 'garbage', { result: 'failed', httpStatus: null, error: 'The answer was not HTTP' });

test('an endpoint that is busy may say for how long', async (t) => {
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

test('an endpoint that nobody listens at', async (t) => {
  const receiver = await startWebhookReceiver();
  await receiver.close();
  const outcome = await attempt(receiver, [newEndpointSecret()]);
  t.is(outcome.result, 'failed');
  t.is(outcome.error, 'The connection failed: ECONNREFUSED');
});

test('an endpoint that does not answer is given up at the time limit, and not before', async (t) => {
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

  t.deepEqual(await outcome, {
    result: 'failed',
    httpStatus: null,
    error: 'No answer within 15 s',
    retryAfterMs: null,
    durationMs: 15_000,
  });
});

test('an attempt that is broken off says that nobody knows how it went', async (t) => {
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
