/** SIGTERM drains the gateway; a second signal or the time-out hangs up. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { runStatement } from '#test/helpers/database-statement.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder, runGateway, serverSettings, startedGateway } from '#test/start/gateway-process.ts';

/** A gateway with a call that would last for minutes. */
const gatewayWithCall = async (
  t: ExecutionContext,
  drainSec: number,
  changes: Record<string, string> = {},
) => {
  const settings = { ...(await serverSettings(t)), ...changes };
  const gateway = await startedGateway(t, {
    ...settings,
    GW_SIMULATOR_SPEED: '1',
    GW_DRAIN_SEC: String(drainSec),
  });
  const { base_url, number_key, admin_token, number } = gateway.credentials;
  const client = apiClient(base_url, number_key);
  const { body } = await client.post('/api/v1/calls', { to: '01000000006' });
  const callId = z.uuid().parse(body['call_id']);
  await until('the call is active', async () => {
    const read = await client.get(`/api/v1/calls/${callId}`);
    return read.body['status'] === 'active' ? true : undefined;
  });
  return {
    ...gateway,
    client,
    admin: client.as(admin_token),
    number,
    callId,
    /** Stored data of the call, with or without a running gateway. */
    async stored(): Promise<unknown> {
      const [row] = await runStatement(
        settings['GW_DATABASE_URL'] ?? '',
        `select status, end_reason, duration_sec > 0 as lasted from call where id = '${callId}'`,
      );
      return row;
    },
  };
};

test.serial('a draining gateway accepts no new calls and continues active ones', async (t) => {
  const gateway = await gatewayWithCall(t, 600);
  const { client, admin, callId } = gateway;
  t.is((await client.get('/readyz')).status, 200);
  const { number_key, admin_token } = gateway.credentials;
  for (const secret of [number_key, admin_token, gateway.number]) {
    t.false(gateway.stdout().includes(secret), 'the output of a server is collected by others');
  }
  gateway.signal('SIGTERM');
  await gateway.printed(
    'waiting up to 600 s for one call to end, because there is no other gateway; a second stop signal hangs up now',
  );

  const refused = [
    await client.get('/readyz'),
    await client.post('/api/v1/calls', { to: '01000000001' }),
    await admin.post('/api/v1/admin/simulator/calls', { to: gateway.number, from: '01012345678' }),
  ];
  for (const { status, body } of refused) t.deepEqual([status, body['code']], [503, 'draining']);
  t.is((await client.get('/healthz')).status, 200);
  const { body: list } = await client.get('/api/v1/calls');
  t.is(z.array(z.unknown()).parse(list['calls']).length, 1, 'what was refused left no call');

  const path = `/api/v1/calls/${callId}`;
  const stream = await openEventStream(`${gateway.credentials.base_url}${path}/events`, number_key);
  t.is(stream.status, 200, 'who watches a call sees its end');
  t.is((await client.get(path)).body['status'], 'active');
  const hungUp = await client.post(`${path}/hangup`, { immediate: true });
  t.is(hungUp.status, 202);
  t.deepEqual(await gateway.ended, { code: 0, signal: null });
  t.is(gateway.stderr(), '');
  t.deepEqual(await gateway.stored(), { status: 'completed', end_reason: 'agent_hangup', lasted: true });
  await stream.until(
    'the end of the call',
    ({ event, data }) => event === 'fact' && data['type'] === 'call.ended',
  );
});

test.serial('hangs up a call that outlasts the drain time-out and stores its end', async (t) => {
  const gateway = await gatewayWithCall(t, 1);
  gateway.signal('SIGTERM');
  t.deepEqual(await gateway.ended, { code: 0, signal: null });
  t.deepEqual(await gateway.stored(), { status: 'failed', end_reason: 'system_error', lasted: true });
});

test.serial('hangs up at once at a second signal and still stores active calls', async (t) => {
  const gateway = await gatewayWithCall(t, 600);
  gateway.signal('SIGINT');
  // Sends the signal twice, as npm does if both processes receive it from the terminal.
  gateway.signal('SIGINT');
  await gateway.printed('for one call to end');
  t.notRegex(gateway.stdout(), /second stop signal:/);
  gateway.signal('SIGTERM');
  const askedAt = performance.now();
  t.deepEqual(await gateway.ended, { code: 0, signal: null });
  t.true(performance.now() - askedAt < 60_000, 'long before the draining would have ended');
  t.regex(gateway.stdout(), /second stop signal:/);
  t.deepEqual(await gateway.stored(), { status: 'failed', end_reason: 'system_error', lasted: true });
});

/** A gateway with a call whose database stopped responding, and that was asked to stop. */
const endingWithoutDatabase = async (t: ExecutionContext) => {
  const proxy = await frozenProxy(t, await testDatabaseUrl(t));
  const gateway = await gatewayWithCall(t, 0, { GW_DATABASE_URL: proxy.url });
  proxy.freeze();
  gateway.signal('SIGTERM');
  await gateway.printed('writing the remaining facts of calls (giving up after 5 s');
  return gateway;
};

test.serial('exits with a frozen database and logs the lost data', async (t) => {
  const gateway = await endingWithoutDatabase(t);
  t.deepEqual(await gateway.ended, { code: 1, signal: null });
  t.regex(gateway.stdout(), /facts of calls are lost: the database is unavailable/);
});

test.serial(
  'with a frozen database, shortens the exit at a second signal and exits immediately at a third',
  async (t) => {
    const gateway = await endingWithoutDatabase(t);
    gateway.signal('SIGINT');
    await gateway.printed('second stop signal:');
    gateway.signal('SIGTERM');
    t.deepEqual(await gateway.ended, { code: 1, signal: null });
    t.regex(gateway.stdout(), /third stop signal/);
  },
);

test.serial('aborts a start that is waiting for a resource at a second signal', async (t) => {
  const silentDatabase = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silentDatabase, 'listening');
  t.teardown(() => silentDatabase.close());
  const address = silentDatabase.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const gateway = runGateway(t, {
    GW_DATA_DIR: await emptyFolder(t),
    GW_DATABASE_URL: `postgresql://gateway@127.0.0.1:${address.port}/calls`,
    GW_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  });
  await once(silentDatabase, 'connection');
  gateway.signal('SIGINT');
  await gateway.printed('the gateway is stopping');
  gateway.signal('SIGTERM');
  t.deepEqual(await gateway.ended, { code: 1, signal: null });
  t.regex(gateway.stdout(), /the start is aborted/);
});
