import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
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

test('while the first request runs, a second one is told so', async (t) => {
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { client } = await fakeGateway(t, {
    async placeCall() {
      begun.resolve();
      await go.promise;
      return { callId: randomUUID(), from: '0212345678' };
    },
  });
  const first = client.post('/api/v1/calls', body, keyed('five'));
  await begun.promise;
  const { status, body: problem } = await client.post('/api/v1/calls', body, keyed('five'));
  t.is(status, 409);
  t.is(problem.code, 'idempotency_in_progress');
  go.resolve();
  t.is((await first).status, 201);
});

test('of many requests at once with one key, one places a call', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => client.post('/api/v1/calls', body, keyed('six'))),
  );
  t.is(asked.length, 1);
  for (const { status } of answers) t.true(status === 201 || status === 409);
});

test('a refusal is stored too', async (t) => {
  let tries = 0;
  const { client } = await fakeGateway(t, {
    placeCall() {
      tries += 1;
      return Promise.reject(new Refusal('no_agent_endpoint', 'Nobody could speak.'));
    },
  });
  const first = await client.post('/api/v1/calls', body, keyed('seven'));
  const second = await client.post('/api/v1/calls', body, keyed('seven'));
  t.is(second.status, 422);
  t.deepEqual(second.bytes, first.bytes);
  t.is(second.headers.get('content-type'), 'application/problem+json');
  t.is(tries, 1);
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
