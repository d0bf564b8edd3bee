/** Requests that fail: connections, certificates, addresses that may not be reached. */
import test, { type ExecutionContext } from 'ava';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import {
  breakInTheMiddle,
  redirectTo,
  sendJson,
  startAgentServer,
  stayQuiet,
} from '#test/helpers/agent-server.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';
import { clientFor, request, serverFor, textOf } from './client-and-server.ts';

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
