import test, { type ExecutionContext } from 'ava';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextRound } from 'node:timers/promises';
import { createEndpointClient, type EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { sendBody, startAgentServer } from '#test/helpers/agent-server.ts';

const clientFor = (t: ExecutionContext): EndpointClient => {
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

/** Answers each request with these pieces, one packet each. */
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
          await nextRound();
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
  ['several, cut anywhere', Array.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(3) + head)],
  ['another interim response', ['HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', head]],
  ['none', [head]],
];

for (const [title, pieces] of interim) {
  test(`"100 Continue" that nobody asked for is passed over: ${title}`, async (t) => {
    const { url, counts } = await answering(t, pieces);
    const client = clientFor(t);
    for (let round = 1; round <= 2; round += 1) {
      t.deepEqual(await ask(client, url), { status: 200, text: 'OK' });
      t.is(counts.connections, 1, 'the connection is kept');
    }
  });
}

test('"100 Continue" within a body is text', async (t) => {
  const text = 'HTTP/1.1 100 Continue\r\n\r\n';
  const server = await startAgentServer(sendBody(text));
  t.teardown(() => server.close());
  t.is((await ask(clientFor(t), server.url)).text, text);
});

test('"100 Continue" without end is no HTTP', async (t) => {
  const { url } = await answering(t, ['HTTP/1.1 100 Continue\r\n', 'x: y\r\n'.repeat(5_000)]);
  await t.throwsAsync(ask(clientFor(t), url), { name: 'EndpointFailure' });
});
