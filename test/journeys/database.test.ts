/** The database of a gateway with calls freezes, dies, or is replaced. In real time: limits on database connections are real. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { copiedDatabase } from '#test/helpers/copied-database.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { frozenProxy } from '#test/helpers/frozen-proxy.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

// Frozen

/** Longer than the time limit of a request to a server that has just frozen. */
const boundMs = 60_000;

test.serial(
  'with a frozen database, requests get 503 in time, hangups and cancels of local calls work, and everything is stored later',
  async (t) => {
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
  },
);

// Replaced by its standby

const journal = z.object({ events: z.array(z.object({ sequence: z.number(), type: z.string() })) });
const event = z.object({ id: z.string(), type: z.string() });

test.serial(
  'continues a call while another database server takes over, without losing facts or events',
  async (t) => {
    const servers = await copiedDatabase(t);
    const hosts = [servers.original, servers.copy].map((url) => new URL(url).host).join(',');
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const gateway = await testGateway(t, {
      GW_DATABASE_URL: servers.original.replace(new URL(servers.original).host, hosts),
      GW_SIMULATOR_SPEED: '4',
    });
    const { body: endpoint } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
    receiver.trust(z.string().parse(endpoint['secret']));

    const callId = await gateway.call('01000000001', 'Confirm the reservation.');
    await gateway.untilStatus(callId, 'active');
    await servers.kill();
    await until('the loss is found', async () => {
      const { status } = await gateway.client.get(`/api/v1/calls/${callId}`);
      return status === 503 ? true : undefined;
    });
    await servers.promote();
    const ended = await until('the call has ended and can be read', async () => {
      const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
      return body['status'] === 'completed' ? body : undefined;
    });
    t.is(ended['end_reason'], 'agent_hangup');

    const { events } = journal.parse((await gateway.client.get(`/api/v1/calls/${callId}/events`)).body);
    t.deepEqual(
      events.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
      events.map((_, index) => index + 1),
    );
    const types = events.map(({ type }) => type);
    for (const type of ['call.answered', 'turn.spoken', 'call.ended']) t.true(types.includes(type), type);
    t.false(gateway.logged.some((line) => line.includes('could not be written')));
    // Events from before the first server died may be sent again, with the same id.
    const told = await until('the end is told', () => {
      const arrived = receiver.received.map(({ rawBody }) => event.parse(JSON.parse(rawBody)));
      return arrived.some(({ type }) => type === 'call.ended') ? arrived : undefined;
    });
    t.is(new Set(told.flatMap(({ id, type }) => (type === 'call.ended' ? [id] : []))).size, 1);
  },
);

// Embedded and killed

const journalRead = z.object({ events: z.array(z.object({ sequence: z.number(), type: z.string() })) });

test.serial(
  'continues a call while its database is killed and restarted, without losing facts',
  async (t) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-killed-'));
    t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
    const gateway = await testGateway(t, {
      GW_DATABASE_URL: '',
      GW_DATA_DIR: dataFolder,
      GW_SIMULATOR_SPEED: '4',
    });
    const pidFile = join(dataFolder, 'postgresql', 'cluster', 'postmaster.pid');
    const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
    const callId = await gateway.call('01000000001', 'Confirm the reservation.');
    await gateway.untilStatus(callId, 'active');
    process.kill(pid, 'SIGKILL');
    const ended = await until('the call has ended and can be read', async () => {
      const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
      return body['status'] === 'completed' ? body : undefined;
    });
    t.is(ended['end_reason'], 'agent_hangup');
    const { events } = journalRead.parse((await gateway.client.get(`/api/v1/calls/${callId}/events`)).body);
    t.deepEqual(
      events.map(({ sequence }) => sequence).toSorted((one, other) => one - other),
      events.map((_, index) => index + 1),
    );
    const types = events.map(({ type }) => type);
    for (const type of ['call.answered', 'turn.spoken', 'call.ended']) t.true(types.includes(type), type);
    // The server answers before the gateway has found out that it runs.
    await until(
      'the restart is logged',
      () => gateway.logged.some((line) => line.includes('the embedded database runs again')) || undefined,
    );
    t.false(gateway.logged.some((line) => line.includes('could not be written')));
  },
);
