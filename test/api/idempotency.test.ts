import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
import { createSealing } from '#src/persistence/sealing.ts';
import { addNumber, fakeGateway } from './fake-gateway.ts';

const body = { to: '01000000001', instruction: 'Say hello.' };

const keyed = (key: string) => ({ 'Idempotency-Key': key });

test('a repeated request gets the stored answer, byte for byte, and places no second call', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const first = await client.post('/api/v1/calls', body, keyed('one'));
  const second = await client.post('/api/v1/calls', body, keyed('one'));
  t.is(second.status, 201);
  t.deepEqual(second.bytes, first.bytes);
  t.is(second.headers.get('content-type'), first.headers.get('content-type'));
  t.is(second.headers.get('idempotency-replayed'), 'true');
  t.is(asked.length, 1);
});

test('a key in quotation marks is the same key', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls', body, keyed('two'));
  t.is((await client.post('/api/v1/calls', body, keyed('"two"'))).status, 201);
  t.is(asked.length, 1);
});

test('another body under the same key is refused', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls', body, keyed('three'));
  const { status, body: problem } = await client.post('/api/v1/calls', { to: body.to }, keyed('three'));
  t.is(status, 422);
  t.is(problem.code, 'idempotency_key_reused');
  t.is(asked.length, 1);
});

test('keys of one number mean nothing to another', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  await gateway.client.post('/api/v1/calls', body, keyed('four'));
  await gateway.client.as(other.key).post('/api/v1/calls', body, keyed('four'));
  t.is(gateway.asked.length, 2);
});

test('keys that begin alike are two keys', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const long = 'x'.repeat(254);
  const ids = new Set<unknown>();
  for (const key of ['11', '12', `${long}1`, `${long}2`]) {
    const { status, body: placed } = await client.post('/api/v1/calls', body, keyed(key));
    t.is(status, 201);
    ids.add(placed['call_id']);
  }
  t.is(ids.size, 4);
  t.is(asked.length, 4);
});

test('bodies that begin alike are two bodies', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const instruction = 'x'.repeat(7_999);
  await client.post('/api/v1/calls', { ...body, instruction: `${instruction}1` }, keyed('thirteen'));
  const { body: problem } = await client.post(
    '/api/v1/calls',
    { ...body, instruction: `${instruction}2` },
    keyed('thirteen'),
  );
  t.is(problem.code, 'idempotency_key_reused');
  t.is(asked.length, 1);
});

test('a key that was used under an earlier master key is known under the next', async (t) => {
  const { client, number } = await fakeGateway(t);
  const first = await client.post('/api/v1/calls', body, keyed('fourteen'));
  const rotated = await fakeGateway(t, {
    sealing: createSealing(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]),
  });
  const again = await rotated.client.as(number.key).post('/api/v1/calls', body, keyed('fourteen'));
  t.deepEqual(again.bytes, first.bytes);
  t.deepEqual(rotated.asked, []);
});

test('of many requests at once with one key, one places a call', async (t) => {
  const { client } = await fakeGateway(t);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => client.post('/api/v1/calls', body, keyed('six'))),
  );
  const placed = answers.filter(({ status }) => status === 201);
  t.is(new Set(placed.map((answer) => answer.body['call_id'])).size, 1);
  t.is(placed.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
  for (const refused of answers.filter((answer) => !placed.includes(answer))) {
    t.is(refused.body.code, 'idempotency_in_progress');
  }
  t.is((await client.post('/api/v1/calls', body, keyed('six'))).status, 201);
});

const forgotten = test.macro({
  async exec(t, error: Error, status: number) {
    let tries = 0;
    const { client } = await fakeGateway(t, {
      async placeCall() {
        tries += 1;
        if (tries === 1) throw error;
        return { callId: randomUUID(), from: '0212345678' };
      },
    });
    t.is((await client.post('/api/v1/calls', body, keyed('eight'))).status, status);
    t.is((await client.post('/api/v1/calls', body, keyed('eight'))).status, 201);
  },
  title: (_, error: Error) => `the same key may be tried again after: ${error.message}`,
});

test(forgotten, new Refusal('no_agent_endpoint', 'nobody could speak'), 422);
test(forgotten, new Refusal('idempotency_in_progress', 'another one was quicker'), 409);
test(forgotten, new Refusal('concurrency_limit', 'too many calls'), 429);
test(forgotten, new Refusal('over_capacity', 'no capacity'), 503);
test(forgotten, new Error('an accident'), 500);

test('a request that did not validate leaves the key free', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: '+82' }, keyed('nine'))).status, 400);
  t.is((await client.post('/api/v1/calls', body, keyed('nine'))).status, 201);
});

test('a key that is empty, too long or unprintable is refused', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const key of ['""', 'x'.repeat(256), 'a b', '"open', 'schlüssel']) {
    const { status, body: problem } = await client.post('/api/v1/calls', body, keyed(key));
    t.is(status, 400, key);
    t.is(problem.code, 'invalid_request');
  }
  t.is((await client.post('/api/v1/calls', body, keyed('x'.repeat(255)))).status, 201);
  t.is(asked.length, 1);
});
