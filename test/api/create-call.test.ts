import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

const to = '01000000001';

test('a call is placed from the number of the key', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', {
    to,
    instruction: 'Say hello.',
    max_duration_sec: 60,
  });
  t.is(status, 201);
  t.like(body, { status: 'ringing', from: number.number });
  t.deepEqual(asked, [
    ['placeCall', { numberId: number.id, to, instruction: 'Say hello.', maxDurationSec: 60 }],
  ]);
});

test('hyphens and spaces are removed; what is omitted is left to the policy', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: ' 010-0000 0001', instruction: null })).status, 201);
  t.deepEqual(asked, [['placeCall', { numberId: number.id, to, instruction: null, maxDurationSec: null }]]);
});

test('a body is refused by its first fault, and nothing is placed', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const faults: [unknown, string][] = [
    [{}, 'invalid_request'],
    [[], 'invalid_request'],
    ['text', 'invalid_request'],
    [{ to: 1_000_000_001 }, 'invalid_request'],
    [{ to, instruction: 5 }, 'invalid_request'],
    [{ to, instruction: 'x'.repeat(8001) }, 'invalid_request'],
    [{ to, instruction: 'a\u0000b' }, 'invalid_request'],
    [{ to, instruction: '\ud800' }, 'invalid_request'],
    [{ to: 5, max_duration_sec: 5 }, 'invalid_request'],
    [{ to: '+821000000001' }, 'invalid_to'],
    [{ to: '+82 10-0000-0001' }, 'invalid_to'],
    [{ to: '010' }, 'invalid_to'],
    [{ to: '' }, 'invalid_to'],
    [{ to: 'abc' }, 'invalid_to'],
    [{ to, max_duration_sec: 59 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: 1801 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: 60.5 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: '600' }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: null }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: -1e300 }, 'invalid_max_duration_sec'],
  ];
  for (const [body, code] of faults) {
    const answer = await client.post('/api/v1/calls', body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, code, JSON.stringify(body));
  }
  t.deepEqual(asked, []);
});

test('each fault is named by its path', async (t) => {
  const { client } = await fakeGateway(t);
  const { body } = await client.post('/api/v1/calls', { instruction: 5 });
  t.deepEqual(body.errors, [
    { path: 'to', message: 'This is required.' },
    { path: 'instruction', message: 'Invalid input: expected string, received number' },
  ]);
});

test('an empty body says that one is required', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls');
  t.is(status, 400);
  t.deepEqual(body.errors, [{ path: '', message: 'This is required.' }]);
});

test('fields that do not exist are ignored, a sender too', async (t) => {
  const { client, number } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', { to, from: '0299999999', more: {} });
  t.is(status, 201);
  t.is(body.from, number.number);
});

test('an eight-digit service number can be called', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: '1588-1234' })).status, 201);
});

const refused = test.macro({
  async exec(
    t,
    refusal: Refusal,
    status: number,
    extras: Record<string, unknown>,
    retryAfter: string | null = null,
  ) {
    const { client } = await fakeGateway(t, { placeCall: () => Promise.reject(refusal) });
    const answer = await client.post('/api/v1/calls', { to });
    t.is(answer.status, status);
    t.like(answer.body, { code: refusal.code, detail: refusal.message, ...extras });
    t.is(answer.headers.get('retry-after'), retryAfter);
  },
  title: (_, refusal: Refusal) => `what the gateway refuses reaches the caller: ${refusal.code}`,
});

test(refused, new Refusal('no_agent_endpoint', 'Nobody could speak.'), 422, {});
test(refused, new Refusal('max_duration_exceeds_policy', 'Too long.', { extras: { maximum: 300 } }), 400, {
  maximum: 300,
});
test(refused, new Refusal('concurrency_limit', 'Full.', { extras: { maximum: 3 } }), 429, { maximum: 3 });
test(refused, new Refusal('draining', 'Going.'), 503, {}, '5');
test(refused, new Refusal('over_capacity', 'Full.'), 503, {}, '5');

test('an accident says nothing about the inside, and is logged with its cause', async (t) => {
  const { client, logged } = await fakeGateway(t, {
    placeCall: () => Promise.reject(new Error('secret inside')),
  });
  const { status, body, bytes } = await client.post('/api/v1/calls', { to });
  t.is(status, 500);
  t.is(body.code, 'internal_error');
  t.false(bytes.includes('secret inside'));
  const line = logged.find(({ msg }) => msg === 'a request failed');
  t.like(line, { request_id: body.request_id, err: { message: 'secret inside' } });
});

test('a database that is away for a moment is 503, with a time to try again', async (t) => {
  const lost = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
  const { client } = await fakeGateway(t, { placeCall: () => Promise.reject(lost) });
  const { status, body, headers } = await client.post('/api/v1/calls', { to });
  t.is(status, 503);
  t.is(body.code, 'service_unavailable');
  t.is(headers.get('retry-after'), '2');
});
