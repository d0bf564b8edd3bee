import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createCounter } from '#src/api/rate-limit.ts';
import { createUpgrades } from '#src/start/upgrades.ts';
import { rawRequest, type RawAnswer } from '#test/api/raw-http.ts';

/** A door at `/inspect`; the token `good` is an admin's, and two others may be tried. */
const openDoor = async (t: ExecutionContext) => {
  const failures = createCounter({ points: 2, perSeconds: 60 });
  const logged: string[] = [];
  const tried: string[] = [];
  const upgrades = createUpgrades({
    authenticate: (token) => {
      tried.push(token);
      return Promise.resolve(token === 'good' ? { workspaceId: 'w', role: 'admin' as const } : undefined);
    },
    async countFailure(address) {
      const counted = await failures.count(address);
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  upgrades.serve('/inspect', 'viewer', ({ refuse }) => refuse(418));
  const server = createServer();
  upgrades.attach(server);
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
  return { knock, logged, tried };
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
