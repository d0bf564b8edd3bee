/** Requests, their connections and their bodies. */
import test from 'ava';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { hangUpConnection, redirectTo, sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { clientFor, request, serverFor, textOf } from './client-and-server.ts';

test('a request carries what it was given and nothing that was not', async (t) => {
  const server = await serverFor(t, sendJson({ ok: true }, 201));
  const response = await clientFor(t).post(`${server.url}/chat?tenant=1`, request());
  t.is(response.status, 201);
  t.is(response.headers['content-type'], 'application/json');
  t.is(await textOf(response.body), '{"ok":true}');
  t.like(server.requests, [{ method: 'POST', path: '/chat?tenant=1', body: '{"message":"안녕"}' }]);
  t.deepEqual(server.requests[0]?.headers, {
    host: `127.0.0.1:${server.port}`,
    connection: 'keep-alive',
    'accept-encoding': 'identity',
    'user-agent': 'Trunkline',
    'content-type': 'application/json',
    'content-length': '20',
  });
});

test('a connection is used again after its response was read or discarded', async (t) => {
  const server = await serverFor(t, [sendBody('{}', 500), sendBody('x'.repeat(900)), sendJson({})]);
  const client = clientFor(t, { connectionsPerHost: 1 });
  (await client.post(server.url, request())).discard();
  await textOf((await client.post(server.url, request())).body);
  await textOf((await client.post(server.url, request())).body);
  t.deepEqual(
    server.requests.map(({ connection }) => connection),
    [1, 1, 1],
  );
});

test('a kept connection that breaks before it answers is replaced once, a new one is not', async (t) => {
  const server = await serverFor(t, [
    sendJson({}),
    hangUpConnection,
    sendJson({ again: true }),
    hangUpConnection,
  ]);
  const client = clientFor(t, { connectionsPerHost: 1 });
  await textOf((await client.post(server.url, request())).body);
  t.is(await textOf((await client.post(server.url, request())).body), '{"again":true}');
  t.deepEqual(
    server.requests.map(({ connection }) => connection),
    [1, 1, 2],
  );
  await t.throwsAsync(client.post(server.url, request()), { instanceOf: EndpointFailure });
  t.is(server.requests.length, 5);
  await t.throwsAsync(client.post(server.url, request()), { instanceOf: EndpointFailure });
  t.is(server.requests.length, 6);
});

test('no more connections than allowed are opened to a host', async (t) => {
  const server = await serverFor(t, sendJson({}));
  const client = clientFor(t, { connectionsPerHost: 2 });
  await Promise.all(
    Array.from({ length: 10 }, async () => textOf((await client.post(server.url, request())).body)),
  );
  t.is(server.requests.length, 10);
  t.true(server.counts.connections <= 2);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect by ${status} is refused, not followed`, async (t) => {
    const elsewhere = await serverFor(t, sendJson({}));
    const server = await serverFor(t, redirectTo(elsewhere.url, status));
    const error = await t.throwsAsync(clientFor(t).post(server.url, request()));
    t.like(error, { failure: 'redirect_refused', status });
    t.is(elsewhere.requests.length, 0);
  });
}

test('a body may have exactly as many bytes as allowed', async (t) => {
  const server = await serverFor(t, [sendBody('x'.repeat(1_000)), sendBody('x'.repeat(1_001))]);
  const client = clientFor(t);
  t.is((await textOf((await client.post(server.url, request())).body)).length, 1_000);
  const { body } = await client.post(server.url, request());
  t.like(await t.throwsAsync(textOf(body)), { failure: 'reply_too_large' });
});

test('leaving a body early closes its connection', async (t) => {
  const server = await serverFor(t, (response) => {
    response.writeHead(200).write('first');
  });
  const { body } = await clientFor(t).post(server.url, request());
  const closed = server.responseClosed();
  for await (const bytes of body) {
    t.is(Buffer.from(bytes).toString(), 'first');
    break;
  }
  await closed;
  t.is(server.counts.aborted, 1);
});

test('aborting ends the request with the reason that was given, before and inside the response', async (t) => {
  const server = await serverFor(t, [
    stayQuiet,
    (response) => {
      response.writeHead(200).write('first');
    },
  ]);
  const client = clientFor(t);
  const reason = new Error('enough');

  const before = new AbortController();
  const asked = client.post(server.url, request(before.signal));
  await server.received(1);
  before.abort(reason);
  t.is(await t.throwsAsync(asked), reason);

  const inside = new AbortController();
  const { body } = await client.post(server.url, request(inside.signal));
  const reading = (async () => {
    for await (const _ of body) inside.abort(reason);
  })();
  t.is(await t.throwsAsync(reading), reason);

  t.is(await t.throwsAsync(client.post(server.url, request(AbortSignal.abort(reason)))), reason);
});

test('aborting after a body was discarded or left unread harms nothing', async (t) => {
  const server = await serverFor(t, (response) => {
    response.writeHead(500).write('a body without end');
  });
  const client = clientFor(t);
  const discarded = new AbortController();
  (await client.post(server.url, request(discarded.signal))).discard();
  discarded.abort();
  const unread = new AbortController();
  const closed = server.responseClosed();
  await client.post(server.url, request(unread.signal));
  unread.abort();
  await closed;
  t.is(server.requests.length, 2);
});

test('closing the client ends what is under way', async (t) => {
  const server = await serverFor(t, stayQuiet);
  const client = clientFor(t);
  const asked = client.post(server.url, request());
  const failed = t.throwsAsync(asked, { instanceOf: EndpointFailure });
  await server.received(1);
  await client.close();
  await failed;
});
