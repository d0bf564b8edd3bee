/** The places of onlookers: who has one, and who has lost it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { WebSocket } from 'ws';
import { createInspectorSocket } from '#src/inspector/inspector-socket.ts';
import { until } from '#test/helpers/until.ts';

const limits = { viewers: 4, viewersOfWorkspace: 2, waitingBytes: 1_000, pingMs: 1_000 };

const openInspector = async (t: ExecutionContext, pingMs = limits.pingMs) => {
  const inspector = createInspectorSocket({
    calls: { find: () => undefined, all: () => [], subscribe: () => () => {} },
    follow: () => Promise.resolve(),
    ownerOf: (callId) => Promise.resolve(callId === 'call-of-one' ? 'one' : undefined),
    limits: { ...limits, pingMs },
    logger: pino({ level: 'silent' }),
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    const { searchParams: query } = new URL(request.url ?? '/', 'http://gateway');
    void inspector.accept({
      request,
      socket,
      head,
      query,
      workspaceId: query.get('workspace') ?? '',
      actor: 'admin:a',
      refuse: (status) => void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`),
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  t.teardown(() => {
    inspector.close();
    server.close();
    server.closeAllConnections();
  });

  /** A browser: it answers pings by itself. The status is that of the answer. */
  const look = (workspace: string, call?: string): Promise<number> =>
    new Promise((resolve) => {
      const query = new URLSearchParams({ workspace, ...(call === undefined ? {} : { call }) });
      const viewer = new WebSocket(`ws://127.0.0.1:${port}/inspect?${query.toString()}`);
      t.teardown(() => viewer.terminate());
      viewer.on('open', () => resolve(101));
      viewer.on('error', (error) => resolve(Number(/(\d{3})$/.exec(error.message)?.[1])));
    });
  /** Shakes hands and never reads again. */
  const stare = async (workspace: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => {});
    socket.write(
      `GET /inspect?workspace=${workspace} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await once(socket, 'data');
    return socket.pause();
  };
  return { look, stare };
};

test('a workspace has so many places, and all of them together', async (t) => {
  const { look } = await openInspector(t, 60_000);
  t.deepEqual([await look('one'), await look('one'), await look('one')], [101, 101, 429]);
  t.deepEqual([await look('two'), await look('two'), await look('three')], [101, 101, 503]);
});

test('who reads nothing gives the place back; who reads keeps it', async (t) => {
  const { look, stare } = await openInspector(t);
  await stare('one');
  t.is(await look('one'), 101);
  await until('the place is free', async () => ((await look('one')) === 101 ? true : undefined));
  t.is(await look('one'), 429, 'the two who answer are still there');
});

test('a call is seen by its own workspace alone, whichever gateway holds it', async (t) => {
  const { look } = await openInspector(t, 60_000);
  t.is(await look('one', 'call-of-one'), 101);
  t.is(await look('two', 'call-of-one'), 404);
  t.is(await look('one', 'call-of-nobody'), 404);
});
