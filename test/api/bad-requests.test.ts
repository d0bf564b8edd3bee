import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { requestLimits } from '#config/policy.ts';
import { routes } from '#src/api/routes.ts';
import { fakeGateway, testLimits } from './fake-gateway.ts';
import { rawRequest, type RawAnswer } from './raw-http.ts';

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

test('what is no JSON is refused and its words are not repeated', async (t) => {
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

test('a body of anything but JSON is 415', async (t) => {
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

test('a body without a type is 415', async (t) => {
  const { port, number } = await fakeGateway(t);
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Length: 2\r\n\r\n{}`,
  );
  isProblem(t, answer, 415, 'unsupported_media_type');
});

test('JSON says so in several ways', async (t) => {
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

test('a body of a megabyte is 413, and the connection goes on', async (t) => {
  const { client } = await fakeGateway(t);
  const body = { to: '01000000001', instruction: 'x'.repeat(1_000_000) };
  for (let round = 0; round < 3; round += 1) {
    const answer = await client.post(path, body);
    t.is(answer.status, 413);
    t.is(answer.body.code, 'payload_too_large');
  }
  t.is((await client.post(path, { to: '01000000001' })).status, 201);
});

test('the longest instruction fits, however its characters are written', async (t) => {
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

test('a body that grows beyond the limit without saying so is 413', async (t) => {
  const { port, number } = await fakeGateway(t);
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    chunk.repeat(5),
  );
  isProblem(t, answer, 413, 'payload_too_large');
});

test('an unknown address is 404, in the same shape', async (t) => {
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

test('a method that is not there is 405 and names those that are', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body, headers } = await client.send('DELETE', path);
  t.is(status, 405);
  t.is(body.code, 'method_not_allowed');
  t.deepEqual(headers.get('allow')?.split(', ').toSorted(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
  t.is((await client.send('HEAD', '/api/v1/calls/x/hangup')).status, 405);
  t.is((await client.send('PROPFIND', '/healthz')).status, 405);
});

test('OPTIONS tells the methods', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, headers } = await client.as(undefined).send('OPTIONS', '/api/v1/calls/x/hangup');
  t.is(status, 204);
  t.is(headers.get('allow'), 'POST, OPTIONS');
  t.is((await client.send('OPTIONS', '/nothing')).status, 404);
});

test('HEAD answers as GET does, without the body', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, bytes, headers } = await client.send('HEAD', path);
  t.is(status, 200);
  t.is(bytes.length, 0);
  t.is(headers.get('content-type'), 'application/json');
});

test('an address that is not correctly encoded is 400', async (t) => {
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

test('a target that is no address is 400', async (t) => {
  const { port } = await fakeGateway(t);
  isProblem(t, await rawRequest(port, 'GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n'), 400, 'invalid_request');
});

test('what is no HTTP is 400, in the same shape', async (t) => {
  const { port } = await fakeGateway(t);
  for (const text of [
    'NONSENSE\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
  ]) {
    isProblem(t, await rawRequest(port, text), 400, 'invalid_request');
  }
});

test('a request names its host, once', async (t) => {
  const { port } = await fakeGateway(t);
  for (const hosts of ['', 'Host: a\r\nHost: a\r\n', 'Host: a\r\nhost: b\r\n']) {
    isProblem(t, await rawRequest(port, `GET /healthz HTTP/1.1\r\n${hosts}\r\n`), 400, 'invalid_request');
  }
  for (const request of ['HTTP/1.1\r\nHost: a', 'HTTP/1.1\r\nHost:', 'HTTP/1.0']) {
    t.is((await rawRequest(port, `GET /healthz ${request}\r\n\r\n`)).status, 200, request);
  }
});

test('a request with an odd expectation is answered like any other', async (t) => {
  const { port } = await fakeGateway(t);
  const odd = 'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\n\r\n';
  isProblem(t, await rawRequest(port, odd), 404, 'not_found');
});

test('headers beyond all bounds are 431, in the same shape', async (t) => {
  const { port } = await fakeGateway(t);
  const answer = await rawRequest(port, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`);
  isProblem(t, answer, 431, 'headers_too_large');
});

test('a body that breaks off leaves nothing behind', async (t) => {
  const { port, client, number, asked } = await fakeGateway(t);
  const answer = await rawRequest(
    port,
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${number.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"to"\r\nZZ\r\n`,
  );
  isProblem(t, answer, 400, 'invalid_request');
  t.deepEqual(asked, []);
  t.is((await client.get(path)).status, 200);
});

test('each answer names its request; a sane id of the caller is kept', async (t) => {
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

test('answers are not stored, framed or sniffed', async (t) => {
  const { client } = await fakeGateway(t);
  for (const { headers } of [await client.get(path), await client.get('/nothing')]) {
    t.is(headers.get('cache-control'), 'no-store');
    t.is(headers.get('x-content-type-options'), 'nosniff');
    t.true(headers.get('content-security-policy')?.startsWith("default-src 'none'"));
  }
});

/** What every JavaScript object has without being given it. */
const inherited = ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'];

for (const { method, path, auth, body } of routes) {
  if (body === undefined) continue;
  test(`${method.toUpperCase()} ${path}: fields that are named after what every object has are no accident`, async (t) => {
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
  });
}
