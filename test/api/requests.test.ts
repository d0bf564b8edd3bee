/** Requests in general: validation, idempotency, metadata, rate limits and the access log. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { Counter, Registry } from 'prom-client';
import { z } from 'zod';
import { requestLimits } from '#config/policy.ts';
import { isQuiet } from '#src/api/http/access-log.ts';
import { createClientAddress } from '#src/api/http/client-address.ts';
import { decode, encode } from '#src/api/http/codec.ts';
import { moment, timestamp } from '#src/api/fields.ts';
import { ignoredFields } from '#src/api/http/ignored-fields.ts';
import { readJsonBody } from '#src/api/http/json-body.ts';
import type { AnsweredRequest } from '#src/api/http/access-log.ts';
import { prepareRoutes } from '#src/api/http/prepare-routes.ts';
import { routes } from '#src/api/routes.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { listenOn } from '#test/helpers/listen-on.ts';
import { ownPort } from '#test/helpers/own-port.ts';
import { sent } from '#test/helpers/sent.ts';
import { addNumber, fakeGateway, type FakeGateway, testLimits } from './fake-gateway.ts';
import { type RawAnswer, rawRequest } from './raw-http.ts';
import { storeCall } from './stored-calls.ts';

// Preparation of routes

test('prepares routes one per turn of the event loop, and none while calls are in progress', async (t) => {
  const prepared: string[] = [];
  let calls = 0;
  const route = (name: string, began = 0) => ({
    async prepare(services: string) {
      prepared.push(`${name} of ${services}`);
      calls += began;
    },
  });
  const preparing = prepareRoutes([{}, route('first'), route('second')], 'api', () => calls);
  t.deepEqual(prepared, ['first of api']);
  await preparing;
  t.deepEqual(prepared, ['first of api', 'second of api']);
  await prepareRoutes([route('third', 1), route('fourth')], 'api', () => calls);
  t.is(prepared.at(-1), 'third of api');
});

// Bad requests

const path = '/api/v1/calls';
const json = { 'content-type': 'application/json' };

const isProblem = (t: ExecutionContext, answer: RawAnswer, status: number, code: string): void => {
  t.is(answer.status, status);
  t.is(answer.headers.get('content-type'), 'application/problem+json');
  const problem = z
    .object({
      type: z.string(),
      title: z.string(),
      status: z.number(),
      detail: z.string(),
      code: z.string(),
      request_id: z.string(),
    })
    .parse(JSON.parse(answer.body));
  t.is(problem.code, code);
  t.is(problem.status, status);
  t.is(answer.headers.get('x-request-id'), problem.request_id);
};

test.serial('a request whose client has gone away is not waited for, even if it is complete', async (t) => {
  const server = createServer();
  const port = await ownPort();
  await listenOn(server, port);
  t.teardown(() => server.close());
  const client = connect(port, '127.0.0.1');
  client.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  );
  const [request] = await once(server, 'request');
  t.true(request instanceof IncomingMessage);
  client.destroy();
  // The function `once` would throw at the error of the interrupted request.
  await new Promise((resolve) => request.once('close', resolve));
  await t.throwsAsync(readJsonBody(request, 1_000), { message: 'The request body ended early.' });
});

test.serial('rejects malformed JSON without repeating its text', async (t) => {
  const { client, logged } = await fakeGateway(t);
  for (const raw of [
    '{"to": "private',
    '{',
    'nonsense',
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    '{"a":1}{"b":2}',
  ]) {
    const { status, body, bytes } = await client.send('POST', path, { raw, headers: json });
    t.is(status, 400);
    t.is(body.code, 'invalid_request');
    t.false(bytes.includes('private'));
  }
  t.false(JSON.stringify(logged).includes('private'));
});

test.serial(
  'at capacity, refuses only new calls, before the key and the body, and counts without logging',
  async (t) => {
    const counted: AnsweredRequest[] = [];
    const overCapacity = new Refusal('over_capacity', 'no room', { extras: { reason: 'rate' } });
    const { port, logged, client } = await fakeGateway(t, {
      refusal: () => overCapacity,
      onAnswered: (request) => void counted.push(request),
    });
    const answer = await rawRequest(
      port,
      `POST ${path}?from=test HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nContent-Length: 100\r\n\r\n{`,
    );
    isProblem(t, answer, 503, 'over_capacity');
    t.is(answer.headers.get('retry-after'), '5');
    t.is(answer.headers.get('x-request-id'), 'mine');
    t.is(answer.headers.get('cache-control'), 'no-store');
    t.is(JSON.parse(answer.body).reason, 'rate');
    t.deepEqual(counted, [{ method: 'POST', route: path, status: 503, seconds: 0, isStream: false }]);
    t.deepEqual(logged, []);
    t.is((await client.as(undefined).get(path)).body.code, 'unauthorized');
  },
);

test.serial('responds with 415 to a body of another type', async (t) => {
  const { client } = await fakeGateway(t);
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=euc-kr',
    'x',
  ];
  for (const type of types) {
    const { status, body } = await client.send('POST', path, {
      raw: '{}',
      headers: { 'content-type': type },
    });
    t.is(status, 415, type);
    t.is(body.code, 'unsupported_media_type');
  }
  const compressed = await client.send('POST', path, {
    raw: '{}',
    headers: { ...json, 'content-encoding': 'gzip' },
  });
  t.is(compressed.status, 415);
});

test.serial('responds with 415 to a body without a content type', async (t) => {
  const { port, number } = await fakeGateway(t);
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Length: 2\r\n\r\n{}`,
  );
  isProblem(t, answer, 415, 'unsupported_media_type');
});

test.serial('accepts the JSON content type in several spellings', async (t) => {
  const { client } = await fakeGateway(t);
  const raw = '\ufeff{"to":"01000000001"}';
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
  ]) {
    t.is((await client.send('POST', path, { raw, headers: { 'content-type': type } })).status, 201, type);
  }
});

test.serial('responds with 413 to a body of a megabyte and keeps the connection', async (t) => {
  const { client } = await fakeGateway(t);
  const body = { to: '01000000001', instruction: 'x'.repeat(1_000_000) };
  for (let round = 0; round < 3; round += 1) {
    const answer = await client.post(path, body);
    t.is(answer.status, 413);
    t.is(answer.body.code, 'payload_too_large');
  }
  t.is((await client.post(path, { to: '01000000001' })).status, 201);
});

test.serial('accepts an instruction of maximum length however its characters are escaped', async (t) => {
  const { client } = await fakeGateway(t, { limits: { ...testLimits, bodyBytes: requestLimits.bodyBytes } });
  const escaped = (count: number): string =>
    `{"to":"01000000001","instruction":"${String.raw`\ud83d\ude00`.repeat(count)}"}`;
  t.is((await client.send('POST', path, { raw: escaped(8_000), headers: json })).status, 201);
  const { status, body } = await client.send('POST', path, { raw: escaped(8_001), headers: json });
  t.is(status, 400);
  t.like(body, {
    errors: [{ path: 'instruction', message: 'Too big: expected string to have <=8000 characters' }],
  });
});

test.serial('responds with 413 to a chunked body beyond the limit', async (t) => {
  const { port, number } = await fakeGateway(t);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    chunk.repeat(5),
  );
  isProblem(t, answer, 413, 'payload_too_large');
});

test.serial('responds with 404 to an unknown path as a problem document', async (t) => {
  const { client } = await fakeGateway(t);
  for (const unknown of [
    '/nothing',
    '/api/v1',
    '/api/v1/calls/',
    '/API/v1/calls',
    '/api/v1/calls/x/y',
    '/docs/',
    '//',
  ]) {
    const { status, body } = await client.get(unknown);
    t.is(status, 404, unknown);
    t.is(body.code, 'not_found');
  }
});

test.serial('responds with 405 to an unsupported method and lists the supported ones', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body, headers } = await client.send('DELETE', path);
  t.is(status, 405);
  t.is(body.code, 'method_not_allowed');
  t.deepEqual(headers.get('allow')?.split(', ').toSorted(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
  t.is((await client.send('HEAD', '/api/v1/calls/x/hangup')).status, 405);
  t.is((await client.send('PROPFIND', '/healthz')).status, 405);
});

test.serial('lists the methods of a path for OPTIONS', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, headers } = await client.as(undefined).send('OPTIONS', '/api/v1/calls/x/hangup');
  t.is(status, 204);
  t.is(headers.get('allow'), 'POST, OPTIONS');
  t.is((await client.send('OPTIONS', '/nothing')).status, 404);
});

test.serial('responds to HEAD like GET, without a body', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, bytes, headers } = await client.send('HEAD', path);
  t.is(status, 200);
  t.is(bytes.length, 0);
  t.is(headers.get('content-type'), 'application/json');
});

test.serial('responds with 400 to an incorrectly encoded path', async (t) => {
  const { client } = await fakeGateway(t);
  for (const bad of [
    '/api/v1/calls/%E0%A4%A',
    '/api/v1/calls?status=%FF',
    '/%',
    '/api/v1/calls/%zz/hangup',
  ]) {
    const { status, body } = await client.get(bad);
    t.is(status, 400, bad);
    t.is(body.code, 'invalid_request');
  }
});

test.serial('responds with 400 to an invalid request target', async (t) => {
  const { port } = await fakeGateway(t);
  isProblem(t, await rawRequest(port, 'GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n'), 400, 'invalid_request');
});

test.serial('responds with 400 to malformed HTTP as a problem document', async (t) => {
  const { port } = await fakeGateway(t);
  for (const text of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
  ]) {
    isProblem(t, await rawRequest(port, text), 400, 'invalid_request');
  }
});

test.serial('requires exactly one Host header', async (t) => {
  const { port } = await fakeGateway(t);
  for (const hosts of ['', 'Host: a\r\nHost: a\r\n', 'Host: a\r\nhost: b\r\n']) {
    isProblem(t, await rawRequest(port, `GET /healthz HTTP/1.1\r\n${hosts}\r\n`), 400, 'invalid_request');
  }
  for (const request of ['HTTP/1.1\r\nHost: a', 'HTTP/1.1\r\nHost:', 'HTTP/1.0']) {
    t.is((await rawRequest(port, `GET /healthz ${request}\r\n\r\n`)).status, 200, request);
  }
});

test.serial('ignores an unknown Expect header', async (t) => {
  const { port } = await fakeGateway(t);
  const odd = 'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n';
  isProblem(t, await rawRequest(port, odd), 404, 'not_found');
});

const ignoredIn = async (
  { client }: FakeGateway,
  target: string,
  body: object,
): Promise<[number, string | null]> => {
  const { status, headers } = await client.post(target, body);
  return [status, headers.get('x-ignored-fields')];
};

test.serial('lists ignored fields and parameters in a header of any response', async (t) => {
  const gateway = await fakeGateway(t);
  const to = '01000000001';
  t.deepEqual(await ignoredIn(gateway, path, { to, metadata: { anything: 'a' } }), [201, null]);
  t.deepEqual(await ignoredIn(gateway, path, { to, max_duration_secs: 600, b: { c: 1 } }), [
    201,
    'max_duration_secs, b',
  ]);
  t.deepEqual(await ignoredIn(gateway, path, { too: to }), [400, 'too']);
  t.deepEqual(await ignoredIn(gateway, `${path}?dry=1`, { to, x: 1 }), [201, 'dry, x']);
  const headers = async (target: string) =>
    (await gateway.client.get(target)).headers.get('x-ignored-fields');
  t.is(await headers(`${path}?limti=2`), 'limti');
  t.is(await headers(`${path}?limit=2&metadata.order=1`), null);
  t.is(await headers(`${path}?limit.order=2`), 'limit.order');
});

test.serial('truncates the list of ignored fields to the maximum size of a header', async (t) => {
  const gateway = await fakeGateway(t);
  const to = '01000000001';
  t.deepEqual(
    await ignoredIn(gateway, path, { to, '예약, b\r\nX-Evil: 1': 1, '': 1, toString: 1, '\ud800': 1 }),
    [201, '%EC%98%88%EC%95%BD%2C%20b%0D%0AX-Evil%3A%201, "", toString, %EF%BF%BD'],
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]));
  const [, named] = await ignoredIn(gateway, path, { to, ['y'.repeat(1_000)]: 1, ...many });
  const names = named?.split(', ') ?? [];
  t.is(names[0], `${'y'.repeat(64)}...`);
  t.is(names.length, 21);
  t.is(names.at(-1), '...');
});

test.serial('reports or rejects unknown fields for every request body of the API', (t) => {
  for (const { operationId, body } of routes) {
    if (body === undefined || operationId === 'postMcp') continue;
    const isStrict = !body.safeParse({ unknown_field: 1 }).success;
    const named = ignoredFields({ body }, {}, { unknown_field: 1 });
    t.true(isStrict || named === 'unknown_field', operationId);
  }
});

test.serial('responds with 405 to CONNECT as a problem document', async (t) => {
  const { port } = await fakeGateway(t);
  for (const target of ['/inbound', 'example.com:443']) {
    const answer = await rawRequest(port, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    isProblem(t, answer, 405, 'method_not_allowed');
    t.regex(answer.headers.get('allow') ?? '', /GET, .*POST/);
  }
});

test.serial('responds with 431 to too large headers as a problem document', async (t) => {
  const { port } = await fakeGateway(t);
  const answer = await rawRequest(port, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`);
  isProblem(t, answer, 431, 'headers_too_large');
});

test.serial('releases all state of a request whose body was interrupted', async (t) => {
  const { port, client, number, asked } = await fakeGateway(t);
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"to"\r\nZZ\r\n`,
  );
  isProblem(t, answer, 400, 'invalid_request');
  t.deepEqual(asked, []);
  t.is((await client.get(path)).status, 200);
});

test.serial('returns a request id with each response, and keeps a valid id from the client', async (t) => {
  const { client } = await fakeGateway(t);
  t.is(
    (await client.get('/healthz', { 'X-Request-Id': 'trace-1.2:3' })).headers.get('x-request-id'),
    'trace-1.2:3',
  );
  for (const odd of ['', 'a b', 'x'.repeat(200), '<script>']) {
    t.regex(
      (await client.get('/healthz', { 'X-Request-Id': odd })).headers.get('x-request-id') ?? '',
      /^[0-9a-f-]{36}$/,
    );
  }
});

test.serial('response headers prevent caching, framing and sniffing', async (t) => {
  const { client } = await fakeGateway(t);
  for (const { headers } of [await client.get(path), await client.get('/nothing')]) {
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.true(headers.get('content-security-policy')?.startsWith("default-src 'none'"));
  }
});

/** Members that every JavaScript object inherits. */
const inherited = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];

for (const { method, path, auth, body } of routes) {
  if (body === undefined) continue;
  test.serial(
    `${method.toUpperCase()} ${path}: accepts fields named like members of Object.prototype`,
    async (t) => {
      const { client, admin, logged } = await fakeGateway(t);
      const target = path
        .replace('{number}', '01000000042')
        .replace('{direction}', 'outbound')
        .replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
      for (const field of inherited) {
        const asker = auth === 'number' ? client : admin;
        const raw = `{${JSON.stringify(field)}:1}`;
        const { status } = await asker.send(method.toUpperCase(), target, { raw, headers: json });
        t.true(status < 500, `${raw} is ${status}`);
      }
      t.false(logged.some(({ msg }) => msg === 'a request failed'));
    },
  );
}

// Idempotency

const body = { to: '01000000001', instruction: 'Say hello.' };

const keyed = (key: string) => ({ 'Idempotency-Key': key });

test.serial(
  'returns the stored response byte for byte to a repeated request and places no second call',
  async (t) => {
    const { client, asked } = await fakeGateway(t);
    const first = await client.post('/api/v1/calls', body, keyed('one'));
    const second = await client.post('/api/v1/calls', body, keyed('one'));
    t.is(second.status, 201);
    t.deepEqual(second.bytes, first.bytes);
    t.is(second.headers.get('content-type'), first.headers.get('content-type'));
    t.is(second.headers.get('idempotency-replayed'), 'true');
    t.is(asked.length, 1);
  },
);

test.serial('treats a quoted idempotency key like an unquoted one', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls', body, keyed('two'));
  t.is((await client.post('/api/v1/calls', body, keyed('"two"'))).status, 201);
  t.is(asked.length, 1);
});

test.serial('rejects another body with the same idempotency key', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls', body, keyed('three'));
  const { status, body: problem } = await client.post('/api/v1/calls', { to: body.to }, keyed('three'));
  t.is(status, 422);
  t.is(problem.code, 'idempotency_key_reused');
  t.is(asked.length, 1);
});

test.serial('scopes idempotency keys to a number', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  await gateway.client.post('/api/v1/calls', body, keyed('four'));
  await gateway.client.as(other.key).post('/api/v1/calls', body, keyed('four'));
  t.is(gateway.asked.length, 2);
});

test.serial('distinguishes idempotency keys with a common prefix', async (t) => {
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

test.serial('distinguishes bodies with a common prefix', async (t) => {
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

test.serial('recognizes an idempotency key used before a rotation of the master key', async (t) => {
  const { client, number } = await fakeGateway(t);
  const first = await client.post('/api/v1/calls', body, keyed('fourteen'));
  const rotated = await fakeGateway(t, {
    sealing: createSealing(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]),
  });
  const again = await rotated.client.as(number.key).post('/api/v1/calls', body, keyed('fourteen'));
  t.deepEqual(again.bytes, first.bytes);
  t.deepEqual(rotated.asked, []);
});

test.serial('places one call for many simultaneous requests with the same idempotency key', async (t) => {
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
  title: (_, error: Error) => `accepts an idempotency key again after the error "${error.message}"`,
});

test.serial(forgotten, new Refusal('no_agent_endpoint', 'nobody could speak'), 422);
test.serial(forgotten, new Refusal('idempotency_in_progress', 'another one was quicker'), 409);
test.serial(forgotten, new Refusal('concurrency_limit', 'too many calls'), 429);
test.serial(forgotten, new Refusal('over_capacity', 'no capacity'), 503);
test.serial(forgotten, new Error('an accident'), 500);

test.serial('does not store the idempotency key of an invalid request', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: '+82' }, keyed('nine'))).status, 400);
  t.is((await client.post('/api/v1/calls', body, keyed('nine'))).status, 201);
});

test.serial('rejects an empty, too long or unprintable idempotency key', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const key of ['""', 'x'.repeat(256), 'a b', '"open', 'schlüssel']) {
    const { status, body: problem } = await client.post('/api/v1/calls', body, keyed(key));
    t.is(status, 400, key);
    t.is(problem.code, 'invalid_request');
  }
  t.is((await client.post('/api/v1/calls', body, keyed('x'.repeat(255)))).status, 201);
  t.is(asked.length, 1);
});

// Metadata

const to = '01000000001';

const placedWith = async (t: Parameters<typeof fakeGateway>[0], metadata: unknown) => {
  const { client, asked } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', { to, metadata });
  return { status, body, asked };
};

const placing = (gateway: FakeGateway, more: object) => [
  'placeCall',
  { numberId: gateway.number.id, to, instruction: null, maxDurationSec: null, ...more },
];

const taken = test.macro<[Record<string, string>]>({
  async exec(t, metadata) {
    const gateway = await fakeGateway(t);
    t.is((await gateway.client.post('/api/v1/calls', { to, metadata })).status, 201);
    t.deepEqual(gateway.asked, [placing(gateway, { metadata })]);
  },
  title: (name = '') => `stores metadata unchanged: ${name}`,
});
test.serial('keys with unchanged spelling', taken, { order_id: 'A-1042', 'crm.Deal-Id_2': '예약' });
test.serial('the maximum number and length', taken, {
  ['k'.repeat(40)]: '가'.repeat(500),
  ...Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`key-${index}`, String(index)])),
  empty: '',
});
test.serial('keys named like members of Object.prototype', taken, {
  constructor: 'a',
  toString: 'b',
  hasOwnProperty: 'c',
});
test.serial('line ends and characters of other languages in a value', taken, {
  note: 'one\r\nVia: two\t</script> {{x}} 🙂',
});

test.serial('stores empty metadata as no metadata', async (t) => {
  const gateway = await fakeGateway(t);
  t.is((await gateway.client.post('/api/v1/calls', { to, metadata: {} })).status, 201);
  t.deepEqual(gateway.asked, [placing(gateway, {})]);
});

const refused = test.macro<[unknown]>({
  async exec(t, metadata) {
    const { status, body, asked } = await placedWith(t, metadata);
    t.like({ status, code: body.code }, { status: 400, code: 'invalid_request' });
    t.deepEqual(asked, []);
  },
  title: (name = '') => `rejects metadata: ${name}`,
});
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));
test.serial('twenty-one keys', refused, many(21));
test.serial('thousands of keys', refused, many(3_000));
test.serial('an empty key', refused, { '': 'a' });
test.serial('a key of forty-one characters', refused, { ['k'.repeat(41)]: 'a' });
test.serial('a key with a space', refused, { 'a b': 'a' });
test.serial('a key in another alphabet', refused, { 주문: 'a' });
test.serial('a key with a trailing line end', refused, { 'a\n': 'a' });
test.serial('a value of 501 characters', refused, { a: 'x'.repeat(501) });
test.serial('a number', refused, { a: 1 });
test.serial('null in a key', refused, { a: null });
test.serial('an object in a key', refused, { a: { b: 'c' } });
test.serial('an unpaired surrogate', refused, { a: '\ud800' });
test.serial('NUL', refused, { a: 'a\0b' });
test.serial('a list', refused, ['a']);
test.serial('a string', refused, 'order=1');
test.serial('null', refused, null);

test.serial('names an invalid metadata key by its path', async (t) => {
  const { body } = await placedWith(t, { 'a b': 'x', c: 5 });
  t.deepEqual(body.errors, [
    {
      path: 'metadata.a b',
      message: 'A key has 1 to 40 letters of ASCII, digits, underscores, dots and hyphens.',
    },
    { path: 'metadata.c', message: 'Invalid input: expected string, received number' },
  ]);
});

test.serial('treats other metadata with the same idempotency key as another request', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const place = (metadata: object) =>
    client.post('/api/v1/calls', { to, metadata }, { 'Idempotency-Key': 'k' });
  const first = await place({ order: '1' });
  t.deepEqual((await place({ order: '1' })).body, first.body);
  t.is((await place({ order: '2' })).body.code, 'idempotency_key_reused');
  t.is(asked.length, 1);
});

const page = z.object({ calls: z.array(z.looseObject({ id: z.string() })) });

const metadata = { order_id: 'A-1042', 'crm.deal': '77' };

test.serial('returns the metadata of a call in every response with the call', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { metadata });
  const { client, admin } = gateway;
  t.deepEqual((await client.get(`/api/v1/calls/${id}`)).body.metadata, metadata);
  t.deepEqual((await admin.get(`/api/v1/admin/calls/${id}`)).body.metadata, metadata);
  for (const { body } of [await client.get('/api/v1/calls'), await admin.get('/api/v1/admin/calls')])
    t.deepEqual(page.parse(body).calls[0]?.['metadata'], metadata);
});

test.serial('omits the field metadata everywhere for a call without metadata', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  const { client, admin } = gateway;
  t.false('metadata' in (await client.get(`/api/v1/calls/${id}`)).body);
  t.false('metadata' in (await admin.get(`/api/v1/admin/calls/${id}`)).body);
  for (const { body } of [await client.get('/api/v1/calls'), await admin.get('/api/v1/admin/calls')])
    for (const call of page.parse(body).calls) t.false('metadata' in call);
});

const listed = test.macro<[query: string, expected: readonly string[]]>({
  async exec(t, query, expected) {
    const gateway = await fakeGateway(t);
    const stored = {
      both: { order_id: 'A-1', 'crm.deal': '7' },
      one: { order_id: 'A-1' },
      other: { order_id: 'A-2', A: 'A-1' },
      none: null,
    };
    const names = new Map<string, string>();
    for (const [name, said] of Object.entries(stored))
      names.set((await storeCall(gateway, { metadata: said })).id, name);
    const { client, admin } = gateway;
    for (const { body } of [
      await client.get(`/api/v1/calls?${query}`),
      await admin.get(`/api/v1/admin/calls?${query}`),
    ]) {
      const found = page.parse(body).calls.map(({ id }) => names.get(id) ?? id);
      t.deepEqual(found.toSorted(), [...expected]);
    }
    const csv = await admin.get(`/api/v1/admin/calls.csv?${query}`);
    t.is(csv.bytes.toString().trim().split('\n').length - 1, expected.length);
  },
  title: (_, query, expected) => `?${query} finds ${expected.join(' and ') || 'no call'}`,
});
test.serial(listed, 'metadata.order_id=A-1', ['both', 'one']);
test.serial(listed, 'metadata.order_id=A-1&metadata.crm.deal=7', ['both']);
test.serial(listed, 'metadata.crm.deal=7', ['both']);
test.serial(listed, 'metadata.order_id=A', []);
test.serial(listed, 'metadata.order_id=', []);
test.serial(listed, 'metadata.order_id=A-1&direction=inbound', []);
test.serial(listed, 'metadata.A=A-1', ['other']);
test.serial(listed, 'metadata.order_id=%27%3B--%22%7D', []);
test.serial(listed, 'metadata.toString=x', []);

test.serial('rejects a metadata filter that no call can match', async (t) => {
  const { client, admin } = await fakeGateway(t);
  const queries = [
    'metadata=x',
    'metadata.=x',
    'metadata.a%20b=x',
    'metadata.a=1&metadata.a=2',
    'metadata.a=%00',
  ];
  for (const query of queries) {
    t.is((await client.get(`/api/v1/calls?${query}`)).body.code, 'invalid_request', query);
    t.is((await admin.get(`/api/v1/admin/calls?${query}`)).body.code, 'invalid_request', query);
  }
});

// Rate limit

test.serial('limits requests per key and responds with the time to wait', async (t) => {
  const perKey = { points: 2, perSeconds: 60 };
  const gateway = await fakeGateway(t, { limits: { ...testLimits, perKey } });
  const first = await gateway.client.get(path);
  t.is(first.headers.get('ratelimit-policy'), '"key";q=2;w=60');
  t.regex(first.headers.get('ratelimit') ?? '', /^"key";r=1;t=\d+$/);
  t.is((await gateway.client.get(path)).status, 200);

  const { status, body, headers } = await gateway.client.get(path);
  t.is(status, 429);
  t.is(body.code, 'rate_limited');
  t.regex(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  t.regex(headers.get('ratelimit') ?? '', /^"key";r=0;t=\d+$/);

  const other = await addNumber(gateway);
  t.is((await gateway.client.as(other.key).get(path)).status, 200, 'other keys have their own');
  t.is((await gateway.admin.get('/api/v1/admin/calls')).status, 200);
});

test.serial(
  'limits failed authentications per address, but not requests with a valid key from it',
  async (t) => {
    const failuresPerAddress = { points: 2, perSeconds: 60 };
    const { client, baseUrl } = await fakeGateway(t, { limits: { ...testLimits, failuresPerAddress } });
    const stranger = apiClient(baseUrl, 'wrong');
    t.is((await stranger.get(path)).status, 401);
    t.is((await stranger.get(path)).status, 401);
    const { status, headers } = await stranger.get(path);
    t.is(status, 429);
    t.truthy(headers.get('retry-after'));
    t.is((await client.get(path)).status, 200);
  },
);

test.serial(
  'counts failures by the client address from a trusted proxy, which clients cannot forge',
  async (t) => {
    const { baseUrl } = await fakeGateway(t, {
      limits: { ...testLimits, failuresPerAddress: { points: 1, perSeconds: 60 } },
      clientAddress: createClientAddress(['127.0.0.0/8']),
    });
    const knock = async (forwardedFor: string): Promise<number> => {
      const headers = { Authorization: 'Bearer wrong', 'X-Forwarded-For': forwardedFor };
      return (await fetch(`${baseUrl}${path}`, { headers })).status;
    };
    t.is(await knock('203.0.113.7'), 401);
    t.is(await knock('203.0.113.7'), 429);
    t.is(await knock('203.0.113.8'), 401, 'others are not held up');
    t.is(await knock('198.51.100.1, 203.0.113.7'), 429, 'what the client wrote itself counts nothing');
  },
);

test.serial('sends no rate limit headers without a limit', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.get(path)).headers.get('ratelimit'), null);
});

test.serial(
  'counts requests across all gateways, or only its own while the database is unreachable',
  async (t) => {
    let elsewhere: number | null = 1;
    const gateway = await fakeGateway(t, {
      limits: { ...testLimits, perKey: { points: 2, perSeconds: 60 } },
      countWithOthers: (perSeconds) => {
        let here = 0;
        return async (key) => {
          t.regex(key, /^(key (number|admin) |failures )/);
          here += 1;
          if (elsewhere === null) throw new Error('The database is away');
          return { requests: elsewhere + here, seconds: perSeconds };
        };
      },
    });
    t.regex((await gateway.client.get(path)).headers.get('ratelimit') ?? '', /r=0;t=60$/);
    elsewhere = null;
    t.is((await gateway.client.get(path)).status, 200);
    t.is((await gateway.client.get(path)).status, 429);
  },
);

// Operation

const healthy = {
  isDraining: () => false,
  dataFolderProblem: () => Promise.resolve(undefined),
  whyLinesAreDown: () => undefined,
  whatIsDown: () => undefined,
};

test.serial('a working gateway reports alive and ready', async (t) => {
  const anonymous = (await fakeGateway(t)).client.as(undefined);
  t.deepEqual((await anonymous.get('/healthz')).body, { status: 'alive' });
  t.deepEqual((await anonymous.get('/readyz')).body, { status: 'ready' });
});

test.serial('a draining gateway reports alive and not ready', async (t) => {
  const { client } = await fakeGateway(t, { health: { ...healthy, isDraining: () => true } });
  t.is((await client.get('/healthz')).status, 200);
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.is(body.code, 'draining');
});

test.serial('reports not ready without lines, with the reason', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, whyLinesAreDown: () => 'The SIP server cannot be reached.' },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The SIP server cannot be reached.' });
});

test.serial('reports not ready with a full disk, with the reason', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, dataFolderProblem: () => Promise.resolve('The data folder cannot be written to.') },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The data folder cannot be written to.' });
});

test.serial('reports ready while only some lines are down, and lists them', async (t) => {
  const { client } = await fakeGateway(t, {
    health: { ...healthy, whatIsDown: () => 'One media server cannot be reached.' },
  });
  const { status, body } = await client.get('/readyz');
  t.is(status, 200);
  t.deepEqual(body, { status: 'ready', warning: 'One media server cannot be reached.' });
});

test.serial('reports not ready without a database, with the reason', async (t) => {
  const database = { ...(await testDatabase()), ping: () => Promise.reject(new Error('gone')) };
  const { client } = await fakeGateway(t, { database });
  const { status, body } = await client.get('/readyz');
  t.is(status, 503);
  t.like(body, { code: 'service_unavailable', detail: 'The database does not answer.' });
});

test.serial('limits the wait for an unresponsive database', async (t) => {
  const database = { ...(await testDatabase()), ping: () => new Promise<void>(() => {}) };
  const { client } = await fakeGateway(t, { database, limits: { ...testLimits, readinessMs: 50 } });
  t.is((await client.get('/readyz')).status, 503);
});

test.serial('returns the metrics of the metrics registry', async (t) => {
  const metrics = new Registry();
  new Counter({ name: 'trunkline_test_total', help: 'Counts.', registers: [metrics] }).inc(3);
  const { client } = await fakeGateway(t, { metrics });
  const { status, bytes, headers } = await client.as(undefined).get('/metrics');
  t.is(status, 200);
  t.is(headers.get('content-type'), metrics.contentType);
  t.true(bytes.toString().includes('trunkline_test_total 3'));
});

// Access log

test.serial('logs a request in one line without body and parameters', async (t) => {
  const { client, logged, number } = await fakeGateway(t);
  const { headers } = await client.get('/api/v1/calls/private-id?secret=1');
  await client.post('/api/v1/calls', { to: '01000000001', instruction: 'private words' });
  await client.get('/nothing/private-path');
  await client.get('/healthz');
  await client.get('/api/v1/calls/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11/transcript');
  while (logged.length < 5) await setImmediate();

  t.like(logged[0], {
    level: 30,
    method: 'GET',
    route: '/api/v1/calls/{call_id}',
    status: 404,
    request_id: headers.get('x-request-id'),
  });
  t.like(logged[1], { method: 'POST', route: '/api/v1/calls', status: 201 });
  t.like(logged[2], { route: null, status: 404 });
  t.like(logged[3], { level: 20, route: '/healthz' }, 'machines that ask all the time are not worth a line');
  t.is(logged.length, 5);
  t.deepEqual(
    logged.map(({ call_id }) => call_id),
    [undefined, undefined, undefined, undefined, '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11'],
  );
  for (const { ms } of logged) t.is(typeof ms, 'number');
  const text = JSON.stringify(logged);
  for (const secret of ['private', 'secret', '01000000001', number.key]) t.false(text.includes(secret));
});

test.serial('logs reads of the console at debug, and its errors and changes at info', async (t) => {
  const level = (
    given: Partial<{
      method: string;
      route: string | null;
      status: number;
      isFromConsole: boolean;
      ms: number;
    }>,
  ): string => {
    const {
      method = 'GET',
      route = '/api/v1/admin/calls',
      status = 200,
      isFromConsole = true,
      ms = 3,
    } = given;
    const request = { method, route, status, seconds: ms / 1_000, isStream: false };
    return isQuiet(request, isFromConsole) ? 'debug' : 'info';
  };
  t.is(level({}), 'debug');
  t.is(level({ route: '/console/{file}', isFromConsole: false }), 'debug');
  t.is(level({ isFromConsole: false }), 'info');
  t.is(level({ status: 404 }), 'info');
  t.is(level({ status: 500 }), 'info');
  t.is(level({ method: 'POST', status: 201 }), 'info');
  t.is(level({ ms: 1_500 }), 'info');
  t.is(level({ route: '/console/{file}', status: 404 }), 'info');
  t.is(level({ route: null, status: 404 }), 'info');
});

// Client address

/** A request over a connection from this address. */
const requestFrom = (address: string | undefined, forwardedFor?: string): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
};

const comes = test.macro<[readonly string[], string | undefined, string | undefined, string]>(
  (t, trusted, from, forwardedFor, expected) => {
    t.is(createClientAddress(trusted)(requestFrom(from, forwardedFor)), expected);
  },
);

const proxies = ['10.0.0.0/8', '2001:db8::1'];

test(
  'uses the address of the connection when no proxy is trusted',
  comes,
  [],
  '10.0.0.1',
  '203.0.113.7',
  '10.0.0.1',
);
test(
  'ignores an address forwarded by an untrusted host',
  comes,
  proxies,
  '198.51.100.1',
  '203.0.113.7',
  '198.51.100.1',
);
test(
  'uses the client address that a trusted proxy forwards',
  comes,
  proxies,
  '10.0.0.1',
  '203.0.113.7',
  '203.0.113.7',
);
test('uses a forwarded address over IPv6', comes, proxies, '2001:db8::1', '2001:db8:1::7', '2001:db8:1::7');
test(
  'uses a forwarded address on a dual-stack socket',
  comes,
  proxies,
  '::ffff:10.0.0.1',
  '203.0.113.7',
  '203.0.113.7',
);
test(
  'uses the client address behind two trusted proxies',
  comes,
  proxies,
  '10.0.0.1',
  '203.0.113.7, 10.2.3.4',
  '203.0.113.7',
);
test(
  'ignores forwarded entries that a client added',
  comes,
  proxies,
  '10.0.0.1',
  '192.0.2.1, 203.0.113.7',
  '203.0.113.7',
);
test(
  'uses the address of a trusted proxy that forwards none',
  comes,
  proxies,
  '10.0.0.1',
  undefined,
  '10.0.0.1',
);
test('returns an invalid forwarded address unchanged', comes, proxies, '10.0.0.1', 'unknown', 'unknown');
test('returns an empty address for a closed connection', comes, proxies, undefined, undefined, '');

// Codec

const step = z.object({ at_ms: z.number(), server_says: z.string().nullable() });

const answer = z.object({
  call_id: z.string(),
  started_at: timestamp,
  ended_at: timestamp.nullable(),
  duration_sec: z.number().optional(),
  steps: z.array(step),
  last_step: step.nullable(),
  data: z.record(z.string(), z.unknown()),
});

const startedAt = new Date('2026-11-21T03:00:00.000Z');

test('encodes a response with the names of the API, its time zone and only declared fields', (t) => {
  const record = {
    callId: 'c',
    startedAt,
    endedAt: null,
    steps: [{ atMs: 1, serverSays: 'no' }],
    lastStep: null,
    data: { someName: 1, other_name: 2 },
    secretSealed: 'hush',
  };
  t.deepEqual(encode(answer, record, 'Asia/Seoul'), {
    call_id: 'c',
    started_at: '2026-11-21T12:00:00.000+09:00',
    ended_at: null,
    steps: [{ at_ms: 1, server_says: 'no' }],
    last_step: null,
    data: { someName: 1, other_name: 2 },
  });
});

test('decodes a request into the names of the code and only the sent fields', (t) => {
  const body = z
    .strictObject({
      max_duration_sec: z.int().nullish(),
      expires_at: moment.optional(),
      steps: z.array(step).default([]),
      number_id: z.string().optional(),
    })
    .optional();
  t.deepEqual(decode(body, body.parse({ max_duration_sec: null, expires_at: '2026-11-21T12:00:00+09:00' })), {
    maxDurationSec: null,
    expiresAt: startedAt,
    steps: [],
  });
  t.deepEqual(decode(body, body.parse({ steps: [{ at_ms: 2, server_says: null }] })), {
    steps: [{ atMs: 2, serverSays: null }],
  });
  t.is(decode(body, undefined), undefined);
  t.is(decode(undefined, undefined), undefined);
});

// Compressed pages
// The document is sent in the smallest encoding that the client accepts.

test.serial('compresses the document if the client accepts compression', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  for (const path of ['/openapi.json']) {
    const plain = await sent(`${baseUrl}${path}`);
    t.is(plain.headers['content-encoding'], undefined, path);
    const brotli = await sent(`${baseUrl}${path}`, { 'accept-encoding': 'gzip, br' });
    t.is(brotli.headers['content-encoding'], 'br', path);
    t.deepEqual(brotliDecompressSync(brotli.body), plain.body, path);
    const gzipped = await sent(`${baseUrl}${path}`, { 'accept-encoding': 'gzip' });
    t.is(gzipped.headers['content-encoding'], 'gzip', path);
    t.deepEqual(gunzipSync(gzipped.body), plain.body, path);
    for (const { headers } of [plain, brotli, gzipped]) t.is(headers['vary'], 'Accept-Encoding', path);
    t.true(brotli.body.length * 3 < plain.body.length, `${path}: ${brotli.body.length} bytes`);
    t.log(path, brotli.body.length, gzipped.body.length, plain.body.length);
  }
});
