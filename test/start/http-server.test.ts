import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import test from 'ava';
import { StartError } from '#src/domain/start-error.ts';
import { listen } from '#src/start/http-server.ts';

const prepare = (): void => undefined;

test('the address with the port that was taken is told', async (t) => {
  const server = await listen((_, response) => response.end('here'), { host: '0.0.0.0', port: 0, prepare });
  t.teardown(server.close);
  t.regex(server.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
  t.is(await (await fetch(server.url)).text(), 'here');
});

test('a port in use and a foreign address are told with their settings', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await t.throwsAsync(
    listen(() => undefined, { host: '127.0.0.1', port, prepare }),
    {
      instanceOf: StartError,
      message: `port ${port} is in use; set GW_PORT to another one`,
    },
  );
  await t.throwsAsync(
    listen(() => undefined, { host: '192.0.2.1', port: 0, prepare }),
    {
      instanceOf: StartError,
      message: 'this machine has no address 192.0.2.1; set GW_HOST to one of its own',
    },
  );
});

test('a server that closes lets a request under way have its answer', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<ServerResponse>();
  const server = await listen((_, response) => resolve(response), { host: '127.0.0.1', port: 0, prepare });
  const asked = request(server.url).end();
  const response = await arrived;
  const closed = server.close();
  response.end('after all');
  const [answer] = await once(asked, 'response');
  t.is(Buffer.concat(await answer.toArray()).toString(), 'after all');
  await closed;
  await t.throwsAsync(fetch(server.url), { instanceOf: TypeError });
});
