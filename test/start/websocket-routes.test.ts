import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createReadBrowser } from '#src/api/browser.ts';
import { createCounter } from '#src/api/rate-limit.ts';
import { createWebSocketRoutes } from '#src/start/websocket-routes.ts';
import { until } from '#test/helpers/until.ts';
import { rawRequest, type RawAnswer } from '#test/api/raw-http.ts';

/** A door at `/inspect`; the token `good` is an admin's, and two others may be tried. */
const openDoor = async (t: ExecutionContext) => {
  const failures = createCounter(
    'failures',
    { points: 2, perSeconds: 60 },
    { countWithOthers: () => () => Promise.resolve(null), logger: pino({ level: 'silent' }) },
  );
  const logged: string[] = [];
  const tried: string[] = [];
  const good = new Set(['good', 'other']);
  const webSocketRoutes = createWebSocketRoutes({
    authenticate: (credential) => {
      const token = 'token' in credential ? credential.token : `session ${credential.session}`;
      tried.push(token);
      return Promise.resolve(
        good.has(token) ? { workspaceId: 'w', actor: 'admin:a', role: 'admin' as const } : undefined,
      );
    },
    readBrowser: createReadBrowser([]),
    async countFailure(request) {
      const counted = await failures.count(request.socket.remoteAddress ?? '');
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    revalidateMs: 20,
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  webSocketRoutes.serve('/inspect', 'viewer', ({ refuse }) => refuse(418));
  webSocketRoutes.serve('/stay', 'viewer', ({ socket }) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    // As a websocket does.
    socket.on('end', () => socket.end());
    socket.resume();
  });
  const server = createServer();
  webSocketRoutes.attach(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const knock = (target: string, headers = ''): Promise<RawAnswer> =>
    rawRequest(
      port,
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
    );
  const stay = async (token: string, { target = `/stay?token=${token}`, headers = '' } = {}) => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
    );
    const [answer] = await once(socket, 'data');
    t.regex(String(answer), /^HTTP\/1\.1 101 /);
    return socket;
  };
  return { knock, stay, logged, tried, good };
};

const refused = test.macro<[target: string, status: number]>({
  async exec(t, target, status) {
    const { knock, logged, tried } = await openDoor(t);
    t.is((await knock(target)).status, status);
    t.deepEqual([...logged, ...tried], []);
  },
  title: (_, target, status) => `a websocket at ${target} is ${status}, before anybody asks for a token`,
});

test(refused, '//', 400);
test(refused, 'http://[', 400);
test(refused, '/nothing', 404);
test(refused, '*', 404);

test('tokens of nobody are counted by the address they come from; a valid one is let in all the same', async (t) => {
  const { knock } = await openDoor(t);
  const statuses = [];
  for (const token of ['one', 'two', 'three']) statuses.push((await knock(`/inspect?token=${token}`)).status);
  t.deepEqual(statuses, [401, 401, 429]);
  const { headers } = await knock('/inspect', 'Authorization: Bearer four\r\n');
  t.regex(headers.get('retry-after') ?? '', /^[1-6]?\d$/);
  t.is((await knock('/inspect?token=good')).status, 418);
});

test('a token comes in a header, as the second protocol, or in the address', async (t) => {
  const { knock, tried } = await openDoor(t);
  await knock('/inspect', 'Authorization: Bearer one\r\n');
  await knock('/inspect', 'Sec-WebSocket-Protocol: trunkline.phone ,  two \r\n');
  await knock('/inspect?token=three');
  t.deepEqual(tried, ['one', 'two', 'three']);
});

test('who is inside is cut off when the token is good no longer, and nobody else is', async (t) => {
  const { stay, tried, good } = await openDoor(t);
  const cutOff = await stay('good');
  const other = await stay('other');
  const closed = once(cutOff, 'close');
  good.delete('good');
  await closed;
  const asked = tried.length;
  await until('the other one is asked for again', () => tried.length > asked || undefined);
  t.false(other.destroyed);
  t.is(tried.at(-1), 'other');
});

const cookie = (session: string, origin: string): string =>
  `Cookie: other=1; trunkline_session=${session}\r\n${origin}`;

test('a page of this gateway is let in by the session of its browser, one from elsewhere is not', async (t) => {
  const { knock, tried, good } = await openDoor(t);
  good.add('session s1');
  t.is((await knock('/inspect', cookie('s1', 'Origin: http://a\r\n'))).status, 418);
  t.is((await knock('/inspect', cookie('s1', 'Sec-Fetch-Site: same-origin\r\n'))).status, 418);
  const asked = tried.length;
  for (const origin of [
    '',
    'Origin: null\r\n',
    'Origin: http://a:8081\r\n',
    'Origin: http://a.example\r\n',
    'Origin: http://a\r\nSec-Fetch-Site: same-site\r\n',
  ])
    t.is((await knock('/inspect', cookie('s1', origin))).status, 403, origin);
  t.is(tried.length, asked, 'nobody looked whose session it is');
  t.is((await knock('/inspect', cookie('s2', 'Origin: http://a\r\n'))).status, 401);
  // A token counts, whoever's page sends it.
  t.is((await knock('/inspect?token=good', cookie('s1', 'Origin: http://b\r\n'))).status, 418);
});

test('who is inside by a session is cut off when that is over', async (t) => {
  const { stay, good } = await openDoor(t);
  good.add('session s1');
  const inside = await stay('', { target: '/stay', headers: cookie('s1', 'Origin: http://a\r\n') });
  const closed = once(inside, 'close');
  good.delete('session s1');
  await closed;
  t.pass();
});
