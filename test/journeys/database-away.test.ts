/** A gateway with calls, and a PostgreSQL server that freezes under it. */
import test from 'ava';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

/** More than a request takes that meets a server that has just frozen. */
const boundMs = 30_000;

test('while the database is frozen requests get 503 in time, and calls held here are hung up and cancelled; then all of it is stored', async (t) => {
  const proxy = await frozenProxy(t, await testDatabaseUrl(t));
  const gateway = await testGateway(t, { GW_DATABASE_URL: proxy.url, GW_SIMULATOR_SPEED: '1' });
  const { client, admin } = gateway;
  const talking = await gateway.call('01000000006');
  const ringing = await gateway.call('01000000002');
  await gateway.untilStatus(talking, 'active');

  proxy.freeze();
  const begun = performance.now();
  const { status, body, headers } = await client.get(`/api/v1/calls/${talking}`);
  t.deepEqual([status, body['code']], [503, 'service_unavailable']);
  t.not(headers.get('retry-after'), null);
  t.true(performance.now() - begun < boundMs);

  const wrong = client.as(`gw_live_${'x'.repeat(43)}`);
  const hangUp = (caller: typeof client, callId: string) =>
    caller.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is((await hangUp(wrong, talking)).status, 503, 'who cannot be known is not let in');
  t.is((await client.post('/api/v1/calls', { to: '01000000001' })).status, 503);
  t.is((await hangUp(client, talking)).status, 202);
  t.is((await client.post(`/api/v1/calls/${ringing}/cancel`)).status, 202);

  proxy.thaw();
  const ended = await until('the call has ended', async () => {
    const read = await client.get(`/api/v1/calls/${talking}`);
    return read.body['status'] === 'completed' ? read.body : undefined;
  });
  t.is(ended['end_reason'], 'agent_hangup');
  t.is((await gateway.untilStatus(ringing, 'no_answer'))['end_reason'], 'cancelled');
  t.is((await hangUp(wrong, talking)).status, 401);

  const { body: issued } = await admin.post(`${gateway.numberPath}/key`);
  t.is(typeof issued['key'], 'string');
  t.is(
    (await hangUp(client, talking)).status,
    401,
    'a key that was replaced is asked of the database, which is there',
  );
});
