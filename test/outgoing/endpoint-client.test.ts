/** Requests to customers' servers: failures, limits, decompression and fair scheduling. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextPass } from 'node:timers/promises';
import * as zlib from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import {
  createEndpointClient,
  type EndpointClient,
  type EndpointClientOptions,
  type EndpointResponse,
} from '#src/outgoing/endpoint-client.ts';
import { createEndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { scheduledFairly } from '#src/outgoing/fair-scheduling.ts';
import { createPermits, type ReleasePermit } from '#src/outgoing/permits.ts';
import {
  type Answer,
  breakInTheMiddle,
  hangUpConnection,
  redirectTo,
  sendBody,
  sendJson,
  startAgentServer,
  stayQuiet,
} from '#test/helpers/agent-server.ts';
import { loopbackCertificate } from '#test/helpers/loopback-certificate.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { clientFor, request, serverFor, textOf } from './endpoint-client/client-and-server.ts';

// Requests
// Requests, their connections and their bodies.

test.serial('sends a request with exactly the given parts', async (t) => {
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

test.serial('reuses a connection after its response was read or discarded', async (t) => {
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

test.serial(
  'replaces a reused connection once if it breaks before its response, but not a new one',
  async (t) => {
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
  },
);

type Pass = (milliseconds: number) => void;

/** A client on a reused connection that the server breaks like this; another request would succeed. */
const onReusedConnection = async (
  t: ExecutionContext,
  breakConnection: (pass: Pass) => Answer,
  { tls = false, openingMs = 0 } = {},
) => {
  let now = 0;
  const pass: Pass = (milliseconds) => void (now += milliseconds);
  const answers = [sendJson({}), breakConnection(pass), sendJson({ again: true })];
  const server = await serverFor(t, answers, { tls });
  const client = clientFor(t, {
    connectionsPerHost: 1,
    ca: loopbackCertificate.cert,
    now: () => now,
    lookup: (_host, _options, callback) => {
      pass(openingMs);
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  const url = server.url.replace('127.0.0.1', 'localhost');
  await textOf((await client.post(url, request())).body);
  pass(60_000);
  return { server, post: () => client.post(url, request()) };
};

const breaks: [title: string, breakConnection: (pass: Pass) => Answer][] = [
  [
    'after more than a round trip',
    (pass) => (response) => {
      pass(251);
      response.destroy();
    },
  ],
  ['after "100 Continue"', () => (response) => response.writeContinue(() => response.destroy())],
  [
    'within the head of the response',
    () => (response) => void response.socket?.write('HTTP/1.1 200 OK\r\ncont', () => response.destroy()),
  ],
  ['with bytes that are not HTTP', () => (response) => void response.socket?.end('no\r\n\r\n')],
];

for (const [title, breakConnection] of breaks)
  test.serial(`does not repeat a request whose reused connection breaks ${title}`, async (t) => {
    const { server, post } = await onReusedConnection(t, breakConnection);
    await t.throwsAsync(post(), { instanceOf: EndpointFailure });
    t.is(server.requests.length, 2);
  });

for (const [title, options] of [
  ['by TLS', { tls: true, openingMs: 0 }],
  ['over a long way', { tls: false, openingMs: 300 }],
] as const)
  test.serial(`repeats a request whose reused connection breaks within a round trip, ${title}`, async (t) => {
    const breakConnection =
      (pass: Pass): Answer =>
      (response) => {
        pass(Math.max(250, options.openingMs));
        response.destroy();
      };
    const { server, post } = await onReusedConnection(t, breakConnection, options);
    t.is(await textOf((await post()).body), '{"again":true}');
    t.is(server.requests.length, 3);
  });

test.serial('limits the connections to a host', async (t) => {
  const server = await serverFor(t, sendJson({}));
  const client = clientFor(t, { connectionsPerHost: 2 });
  await Promise.all(
    Array.from({ length: 10 }, async () => textOf((await client.post(server.url, request())).body)),
  );
  t.is(server.requests.length, 10);
  t.true(server.counts.connections <= 2);
});

for (const status of [301, 302, 303, 307, 308]) {
  test.serial(`rejects a redirect with status ${status}`, async (t) => {
    const elsewhere = await serverFor(t, sendJson({}));
    const server = await serverFor(t, redirectTo(elsewhere.url, status));
    const error = await t.throwsAsync(clientFor(t).post(server.url, request()));
    t.like(error, { failure: 'redirect_refused', status });
    t.is(elsewhere.requests.length, 0);
  });
}

test.serial('limits the size of a body', async (t) => {
  const server = await serverFor(t, [sendBody('x'.repeat(1_000)), sendBody('x'.repeat(1_001))]);
  const client = clientFor(t);
  t.is((await textOf((await client.post(server.url, request())).body)).length, 1_000);
  const { body } = await client.post(server.url, request());
  t.like(await t.throwsAsync(textOf(body)), { failure: 'reply_too_large' });
});

test.serial('closes the connection when the reader leaves a body early', async (t) => {
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

test.serial('aborts the request with the given reason, before and within the response', async (t) => {
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

test.serial('ignores an abort after a body was discarded or left unread', async (t) => {
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

test.serial('aborts current requests when the client closes', async (t) => {
  const server = await serverFor(t, stayQuiet);
  const client = clientFor(t);
  const asked = client.post(server.url, request());
  const failed = t.throwsAsync(asked, { instanceOf: EndpointFailure });
  await server.received(1);
  await client.close();
  await failed;
});

// Failures
// Failed requests: connections, certificates, forbidden addresses.

test.serial('fails with connection_failed on an interrupted response', async (t) => {
  const server = await serverFor(t, breakInTheMiddle);
  const { body } = await clientFor(t).post(server.url, request());
  t.like(await t.throwsAsync(textOf(body)), { failure: 'connection_failed' });
});

test.serial('fails with connection_failed on a closed port', async (t) => {
  const error = await t.throwsAsync(clientFor(t).post(noServer, request()));
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

test.serial('fails with a connection time-out on an endless TLS handshake', async (t) => {
  const port = await rawServer(t, () => undefined);
  const error = await t.throwsAsync(
    clientFor(t, { connectMs: 100 }).post(`https://127.0.0.1:${port}`, request()),
  );
  t.like(error, { failure: 'connect_timeout' });
});

test.serial('fails with invalid_reply on a server that does not speak HTTP', async (t) => {
  const port = await rawServer(t, (socket) => {
    socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n\r\n'));
  });
  const error = await t.throwsAsync(clientFor(t).post(`http://127.0.0.1:${port}`, request()));
  t.like(error, { failure: 'invalid_reply' });
});

test.serial('fails with tls_failed on a server that does not speak TLS', async (t) => {
  const server = await serverFor(t, sendJson({}));
  const error = await t.throwsAsync(clientFor(t).post(`https://127.0.0.1:${server.port}`, request()));
  t.like(error, { failure: 'tls_failed' });
});

test.serial(
  'fails with tls_failed on an untrusted certificate unless its authority is configured',
  async (t) => {
    const server = await serverFor(t, sendJson({}), { tls: true });
    t.like(await t.throwsAsync(clientFor(t).post(server.url, request())), { failure: 'tls_failed' });
    t.is(server.requests.length, 0);
    const trusting = clientFor(t, { ca: loopbackCertificate.cert });
    t.is((await trusting.post(server.url, request())).status, 200);
  },
);

test.serial('fails if the certificate does not match the requested host', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, {
    ca: loopbackCertificate.cert,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  t.is((await client.post(`https://localhost:${server.port}`, request())).status, 200);
  const error = await t.throwsAsync(client.post(`https://agent.example.com:${server.port}`, request()));
  t.like(error, { failure: 'tls_failed' });
});

test.serial('rejects a literal private address without sending a packet', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, { rules: { allowedHosts: [], allowLoopback: false } });
  for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'localhost']) {
    const error = await t.throwsAsync(client.post(`https://${host}:${server.port}`, request()));
    t.like(error, { failure: 'target_refused' }, host);
  }
  t.is(server.counts.connections, 0);
});

test.serial(
  'rejects a name that resolves to loopback without sending a packet, even after an earlier public address',
  async (t) => {
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
  },
);

test.serial('permits any address for a host that the operator permits', async (t) => {
  const server = await serverFor(t, sendJson({}), { tls: true });
  const client = clientFor(t, {
    rules: { allowedHosts: ['localhost'], allowLoopback: false },
    ca: loopbackCertificate.cert,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  t.is((await client.post(`https://localhost:${server.port}`, request())).status, 200);
});

test.serial('rejects plain http to a remote name', async (t) => {
  const client = clientFor(t, {
    lookup: (_host, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
  });
  const error = await t.throwsAsync(client.post('http://localhost:9', request()));
  t.like(error, { failure: 'target_refused' });
});

test.serial('failure messages omit the URL', async (t) => {
  const server = await startAgentServer(stayQuiet);
  await server.close();
  const error = await t.throwsAsync(clientFor(t).post(`${server.url}/secret-path`, request()));
  t.notRegex(error?.message ?? '', /127\.0\.0\.1|secret-path/);
});

test.serial('a redirect failure has the target in a field, but not in its message', async (t) => {
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

// Endpoint clients

const setUpEndpointClients = async (
  t: ExecutionContext,
  requestsAtOnce: number,
  answers: Answer | Answer[],
) => {
  const server = await startAgentServer(answers);
  const asked: string[] = [];
  const clients = createEndpointClients({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    requestsAtOnce,
    names: {
      lookupFor: (workspaceId) => (host, _options, callback) => {
        asked.push(`${workspaceId} ${host}`);
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    },
  });
  t.teardown(async () => {
    await clients.close();
    await server.close();
  });
  const post = (
    workspaceId: string,
    signal = new AbortController().signal,
    url = server.url,
  ): Promise<EndpointResponse> => clients.of(workspaceId).post(url, { headers: {}, body: '{}', signal });
  return { server, clients, asked, post };
};

const refusal = { failure: 'over_capacity' };

test.serial('limits hanging requests to the share of their workspace', async (t) => {
  const { server, post } = await setUpEndpointClients(t, 12, [
    ...Array.from({ length: 6 }, () => stayQuiet),
    sendJson({}),
  ]);
  const abort = new AbortController();
  const hanging = Array.from({ length: 12 }, () => post('one', abort.signal));
  const ended = Promise.allSettled(hanging);
  t.like(await t.throwsAsync(post('one')), refusal);
  await server.received(6);
  t.is((await post('two')).status, 200);
  abort.abort();
  const failures = (await ended).map((each) => each.status === 'rejected' && each.reason);
  t.is(failures.filter(({ failure }) => failure === 'over_capacity').length, 6);
});

test.serial(
  'releases the permit of a request when its body was read, left or discarded, or is absent',
  async (t) => {
    const { server, post } = await setUpEndpointClients(t, 2, [
      sendBody('read'),
      sendBody('left'),
      sendBody('discarded'),
      redirectTo('http://127.0.0.1:1/'),
      sendBody('last'),
    ]);
    const read = await post('one');
    t.like(await t.throwsAsync(post('one')), refusal);
    for await (const bytes of read.body) t.is(Buffer.from(bytes).toString(), 'read');
    for await (const bytes of (await post('one')).body) {
      t.is(Buffer.from(bytes).toString(), 'left');
      break;
    }
    (await post('one')).discard();
    t.like(await t.throwsAsync(post('one')), { failure: 'redirect_refused' });
    t.is((await post('one')).status, 200);
    t.is(server.requests.length, 5);
  },
);

test.serial('resolves names for their workspace, so that its limits apply', async (t) => {
  const { post, asked, server } = await setUpEndpointClients(t, 12, sendJson({}));
  const url = `http://localhost:${server.port}/`;
  (await post('one', undefined, url)).discard();
  (await post('two', undefined, url)).discard();
  t.deepEqual(asked, ['one localhost', 'two localhost']);
});

// Permits

const takeAll = (take: () => ReleasePermit | undefined): ReleasePermit[] => {
  const taken: ReleasePermit[] = [];
  for (let permit = take(); permit !== undefined; permit = take()) taken.push(permit);
  return taken;
};

test('one workspace alone gets half of the permits, a second one gets some, and released permits can be used again', (t) => {
  const permits = createPermits(12);
  const first = takeAll(() => permits.acquire('one'));
  t.is(first.length, 6);
  t.is(takeAll(() => permits.acquire('two')).length, 3);
  t.is(permits.acquire('one'), undefined);
  for (const releasePermit of first) {
    releasePermit();
    releasePermit();
  }
  t.deepEqual([...permits.held()], [['two', 3]]);
  t.is(takeAll(() => permits.acquire('one')).length, 5);
});

for (const others of [1, 2, 3, 7, 20]) {
  test(`a workspace gets one of a hundred permits while ${others} use all others`, (t) => {
    const permits = createPermits(100);
    const takers = Array.from({ length: others }, (_, index) => `greedy ${index}`);
    // Takers that acquire permits in turn until none gets another.
    while (takers.filter((taker) => permits.acquire(taker) !== undefined).length > 0);
    const held = takers.map((taker) => permits.held().get(taker) ?? 0);
    t.true(Math.max(...held) - Math.min(...held) <= 1);
    t.true(Math.abs(Math.max(...held) - 100 / (others + 1)) < 1, held.join());
    t.not(permits.acquire('later'), undefined);
  });
}

// Fair scheduling

const chunk = new Uint8Array(64 * 1024);

/** However much is read, more data is available. */
async function* flood(chunks: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < chunks; index += 1) yield chunk;
}

async function* yieldOnce(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test.serial(
  'limits the bytes read in one pass of the event loop, for any number of large bodies',
  async (t) => {
    let taken = 0;
    let open = 50;
    const reading = Array.from({ length: open }, async () => {
      for await (const bytes of scheduledFairly(flood(4))) taken += bytes.byteLength;
      open -= 1;
    });
    let most = 0;
    let passes = 0;
    while (open > 0) {
      const before = taken;
      await nextPass();
      most = Math.max(most, taken - before);
      passes += 1;
    }
    await Promise.all(reading);
    t.is(taken, 50 * 4 * chunk.byteLength);
    t.true(most <= 64 * 1024, `${most} bytes in one of ${passes} passes`);
  },
);

test.serial('reads a small body without waiting for large ones', async (t) => {
  const ending = new AbortController();
  const flooding = Array.from({ length: 50 }, async () => {
    for await (const bytes of scheduledFairly(flood(1_000)))
      if (bytes.byteLength === 0 || ending.signal.aborted) return;
  });
  for (let pass = 0; pass < 20; pass += 1) await nextPass();
  let heard = '';
  const reading = (async () => {
    for await (const bytes of scheduledFairly(yieldOnce('one ', 'two ', 'three')))
      heard += Buffer.from(bytes).toString();
  })();
  for (let pass = 0; pass < 8; pass += 1) await nextPass();
  const heardInTime = heard;
  ending.abort();
  await Promise.all([reading, ...flooding]);
  t.is(heardInTime, 'one two three');
});

test.serial('reads a large body although ever new bodies have taken less', async (t) => {
  const ending = new AbortController();
  let takenByOthers = 0;
  // Each of the other bodies ends before it has taken as much as the large one.
  const newcomers = Array.from({ length: 20 }, async () => {
    while (!ending.signal.aborted)
      for await (const bytes of scheduledFairly(flood(1))) takenByOthers += bytes.byteLength;
  });
  let taken = 0;
  for await (const bytes of scheduledFairly(flood(2))) taken += bytes.byteLength;
  ending.abort();
  await Promise.all(newcomers);
  t.is(taken, 2 * chunk.byteLength);
  t.true(takenByOthers > taken, 'the others are read meanwhile');
});

test.serial('reads slow bodies as they arrive', async (t) => {
  const pieces: string[] = [];
  for await (const bytes of scheduledFairly(yieldOnce('a', 'b', 'c')))
    pieces.push(Buffer.from(bytes).toString());
  t.deepEqual(pieces, ['a', 'b', 'c']);
});

test.serial('returns the received bytes, then the error', async (t) => {
  const whole = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield whole;
    throw new Error('the connection was lost');
  }
  const parts: Uint8Array[] = [];
  await t.throwsAsync(
    async () => {
      for await (const bytes of scheduledFairly(broken())) parts.push(bytes);
    },
    { message: 'the connection was lost' },
  );
  t.true(parts.length > 1);
  t.true(whole.equals(Buffer.concat(parts)));
});

// Decompress

const { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } = zlib;

const decompressClientFor = (t: ExecutionContext, changes: Partial<EndpointClientOptions> = {}) => {
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

const decompressServerFor = async (t: ExecutionContext, answers: Answer) => {
  const server = await startAgentServer(answers);
  t.teardown(() => server.close());
  return server;
};

const decompressRequest = (signal = new AbortController().signal) => ({
  headers: { 'content-type': 'application/json' },
  body: '{"message":"안녕"}',
  signal,
});

const decompressTextOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return Buffer.concat(chunks).toString('utf8');
};

const words = JSON.stringify({ reply: '네, 알겠습니다. '.repeat(20) });

const compressed: [coding: string, body: Buffer][] = [
  ['gzip', gzipSync(words)],
  ['x-gzip', gzipSync(words)],
  ['deflate', deflateSync(words)],
  ['deflate', deflateRawSync(words)],
  ['br', brotliCompressSync(words)],
  ['Gzip', gzipSync(words)],
  ['identity', Buffer.from(words)],
  ['br, gzip', gzipSync(brotliCompressSync(words))],
  ...('zstdCompressSync' in zlib ? [['zstd', zlib.zstdCompressSync(words)] as [string, Buffer]] : []),
];

for (const [index, [coding, body]] of compressed.entries()) {
  test.serial(`decodes a reply with the encoding ${coding}, even if not requested (${index})`, async (t) => {
    const server = await decompressServerFor(t, sendBody(body, 200, { 'content-encoding': coding }));
    const response = await decompressClientFor(t).post(server.url, decompressRequest());
    t.is(await decompressTextOf(response.body), words);
  });
}

test.serial('reads a compressed stream as it arrives', async (t) => {
  const gzip = createGzip();
  const server = await decompressServerFor(t, (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    gzip.pipe(response);
    gzip.write('data: 1\n\n');
    gzip.flush();
  });
  const { body } = await decompressClientFor(t).post(server.url, decompressRequest());
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  t.is(Buffer.from(first.value ?? []).toString(), 'data: 1\n\n', 'while the response is still open');
  gzip.end('data: 2\n\n');
  const second = await chunks.next();
  t.is(Buffer.from(second.value ?? []).toString(), 'data: 2\n\n');
});

test.serial('limits the decompressed size, not the received size', async (t) => {
  const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
  t.true(bomb.length < 10_000);
  const server = await decompressServerFor(t, sendBody(bomb, 200, { 'content-encoding': 'gzip' }));
  const { body } = await decompressClientFor(t, { maxBodyBytes: 20_000 }).post(
    server.url,
    decompressRequest(),
  );
  await t.throwsAsync(decompressTextOf(body), {
    instanceOf: EndpointFailure,
    message: 'more than 20000 bytes',
  });
});

test.serial('closes the connection when the reader leaves a compressed body early', async (t) => {
  const server = await decompressServerFor(t, (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync(words));
  });
  const closed = server.responseClosed();
  const { body } = await decompressClientFor(t).post(server.url, decompressRequest());
  for await (const bytes of body) {
    t.true(bytes.byteLength > 0);
    break;
  }
  await closed;
  t.is(server.counts.aborted, 1);
});

const badlyCoded: [title: string, coding: string, body: Buffer][] = [
  ['plain text declared as gzip', 'gzip', Buffer.from(words)],
  ['half of a gzip', 'gzip', gzipSync(words).subarray(0, 40)],
  ['plain text declared as br', 'br', Buffer.from(words)],
  ['plain text declared as deflate', 'deflate', Buffer.from(words)],
  ['an unknown encoding', 'squeeze', Buffer.from(words)],
  ['an encoding named like a member of Object.prototype', 'constructor', Buffer.from(words)],
  ['several encodings', 'gzip, gzip, gzip', Buffer.from(words)],
];

for (const [title, coding, body] of badlyCoded) {
  test.serial(`rejects ${title} as unreadable and does not quote it`, async (t) => {
    const server = await decompressServerFor(t, sendBody(body, 200, { 'content-encoding': coding }));
    const error = await t.throwsAsync(
      decompressClientFor(t)
        .post(server.url, decompressRequest())
        .then((response) => decompressTextOf(response.body)),
      { instanceOf: EndpointFailure },
    );
    t.like(error, { failure: 'invalid_reply' });
    t.notRegex(String(error), /알겠/);
  });
}

// Skip continue

const skipContinueClientFor = (t: ExecutionContext): EndpointClient => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 1_000,
    connectionsPerHost: 1,
  });
  t.teardown(() => client.close());
  return client;
};

const ask = async (client: EndpointClient, url: string): Promise<{ status: number; text: string }> => {
  const { status, body } = await client.post(url, {
    headers: {},
    body: '{}',
    signal: new AbortController().signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const bytes of body) chunks.push(bytes);
  return { status, text: Buffer.concat(chunks).toString() };
};

/** Answers each request with these chunks, one packet each. */
const answering = async (t: ExecutionContext, pieces: readonly string[]) => {
  const sockets = new Set<Socket>();
  const counts = { connections: 0 };
  const server = createServer({ noDelay: true }, (socket) => {
    counts.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString();
      if (!received.endsWith('{}')) return;
      received = '';
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await nextPass();
        }
      })();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/`, counts };
};

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nOK';
const interim: [title: string, pieces: string[]][] = [
  ['one', [`HTTP/1.1 100 Continue\r\n\r\n${head}`]],
  ['one with headers', ['HTTP/1.1 100 Continue\r\nx: y\r\n\r\n', head]],
  ['one without a phrase', ['HTTP/1.1 100\r\n\r\n', head]],
  ['one of HTTP/1.0', ['HTTP/1.0 100 Continue\r\n\r\n', head]],
  ['several, in any chunking', Array.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3) + head)],
  ['another interim response', ['HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', head]],
  ['none', [head]],
];

for (const [title, pieces] of interim) {
  test.serial(`skips an unrequested "100 Continue": ${title}`, async (t) => {
    const { url, counts } = await answering(t, pieces);
    const client = skipContinueClientFor(t);
    for (let round = 1; round <= 2; round += 1) {
      t.deepEqual(await ask(client, url), { status: 200, text: 'OK' });
      t.is(counts.connections, 1, 'the connection is kept');
    }
  });
}

test.serial('reads "100 Continue" within a body as text', async (t) => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\n';
  const server = await startAgentServer(sendBody(text));
  t.teardown(() => server.close());
  t.is((await ask(skipContinueClientFor(t), server.url)).text, text);
});

test.serial('rejects endless "100 Continue" responses as invalid HTTP', async (t) => {
  const { url } = await answering(t, ['HTTP/1.1 100 Continue\r\n', 'x: y\r\n'.repeat(5_000)]);
  await t.throwsAsync(ask(skipContinueClientFor(t), url), { name: 'EndpointFailure' });
});
