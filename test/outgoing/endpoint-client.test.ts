import test, { type ExecutionContext } from 'ava';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { createEndpointClient, type EndpointClientOptions } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import {
  breakInTheMiddle,
  hangUpConnection,
  redirectTo,
  sendBody,
  sendJson,
  startAgentServer,
  stayQuiet,
  type Answer,
} from '#test/helpers/agent-server.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';

const clientFor = (t: ExecutionContext, changes: Partial<EndpointClientOptions> = {}) => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    connectionsPerHost: 4,
    ...changes,
  });
  t.teardown(() => client.close());
  return client;
};

const serverFor = async (
  t: ExecutionContext,
  answers: Answer | Answer[],
  options: { tls?: boolean } = {},
) => {
  const server = await startAgentServer(answers, options);
  t.teardown(() => server.close());
  return server;
};

const request = (signal = new AbortController().signal) => ({
  headers: { 'content-type': 'application/json' },
  body: '{"message":"안녕"}',
  signal,
});

const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};

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

test('a response that breaks off is a failed connection', async (t) => {
  const server = await serverFor(t, breakInTheMiddle);
  const { body } = await clientFor(t).post(server.url, request());
  t.like(await t.throwsAsync(textOf(body)), { failure: 'connection_failed' });
});

test('a port where nobody listens is a failed connection', async (t) => {
  const server = await startAgentServer(stayQuiet);
  await server.close();
  const error = await t.throwsAsync(clientFor(t).post(server.url, request()));
  t.like(error, { failure: 'connection_failed', message: 'ECONNREFUSED' });
});

const rawServer = async (t: ExecutionContext, onSocket: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

test('a TLS handshake that never ends is a connection that did not come in time', async (t) => {
  const port = await rawServer(t, () => undefined);
  const error = await t.throwsAsync(
    clientFor(t, { connectMs: 100 }).post(`https://127.0.0.1:${port}`, request()),
  );
  t.like(error, { failure: 'connect_timeout' });
});

test('a server that does not speak HTTP gives an invalid reply', async (t) => {
  const port = await rawServer(t, (socket) => {
    socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n\r\n'));
  });
  const error = await t.throwsAsync(clientFor(t).post(`http://127.0.0.1:${port}`, request()));
  t.like(error, { failure: 'invalid_reply' });
});

test('a server that does not speak TLS is a TLS failure', async (t) => {
  const server = await serverFor(t, sendJson({}));
  const error = await t.throwsAsync(clientFor(t).post(`https://127.0.0.1:${server.port}`, request()));
  t.like(error, { failure: 'tls_failed' });
});

test('a certificate that nobody vouches for is a TLS failure, unless its authority is configured', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  t.like(await t.throwsAsync(clientFor(t).post(server.url, request())), { failure: 'tls_failed' });
  t.is(server.requests.length, 0);
  const trusting = clientFor(t, { ca: loopbackCertificate.cert });
  t.is((await trusting.post(server.url, request())).status, 200);
});

test('the certificate must be for the host that was asked for', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, {
    ca: loopbackCertificate.cert,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  t.is((await client.post(`https://localhost:${server.port}`, request())).status, 200);
  const error = await t.throwsAsync(client.post(`https://agent.example.com:${server.port}`, request()));
  t.like(error, { failure: 'tls_failed' });
});

test('a literal private address is refused without a packet', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, { rules: { allowedHosts: [], allowLoopback: false } });
  for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost']) {
    const error = await t.throwsAsync(client.post(`https://${host}:${server.port}`, request()));
    t.like(error, { failure: 'target_refused' }, host);
  }
  t.is(server.counts.connections, 0);
});

test('a name that resolves to the machine itself is refused without a packet, also when it did not before', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  let asked = 0;
  const client = clientFor(t, {
    rules: { allowedHosts: [], allowLoopback: false },
    ca: loopbackCertificate.cert,
    lookup: (_host, _options, callback) => {
      asked += 1;
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const error = await t.throwsAsync(client.post(`https://rebound.example.com:${server.port}`, request()));
    t.like(error, { failure: 'target_refused' });
    t.is(asked, attempt);
  }
  t.is(server.counts.connections, 0);
});

test('a host that the operator allows is reached wherever it is', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, {
    rules: { allowedHosts: ['localhost'], allowLoopback: false },
    ca: loopbackCertificate.cert,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  t.is((await client.post(`https://localhost:${server.port}`, request())).status, 200);
});

test('plain http to a name that leaves the machine is refused', async (t) => {
  const client = clientFor(t, {
    lookup: (_host, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
  });
  const error = await t.throwsAsync(client.post('http://localhost:9', request()));
  t.like(error, { failure: 'target_refused' });
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

test('no message of a failure holds the URL', async (t) => {
  const server = await startAgentServer(stayQuiet);
  await server.close();
  const error = await t.throwsAsync(clientFor(t).post(`${server.url}/secret-path`, request()));
  t.notRegex(error?.message ?? '', /127\.0\.0\.1|secret-path/);
});

test('a redirect tells where it leads, and not in its message', async (t) => {
  const server = await serverFor(t, redirectTo('/login?next=secret', 307));
  const error = await t.throwsAsync(clientFor(t).post(server.url, request()), {
    instanceOf: EndpointFailure,
  });
  t.like(error, {
    failure: 'redirect_refused',
    status: 307,
    location: '/login?next=secret',
    message: 'HTTP 307',
  });
});
