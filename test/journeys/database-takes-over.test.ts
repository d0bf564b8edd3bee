/** A gateway with a call, whose PostgreSQL server is killed and replaced by its copy at another address. */
import test from 'ava';
import { z } from 'zod';
import { copiedDatabase } from '#test/helpers/copied-database.ts';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const journal = z.object({ events: z.array(z.object({ sequence: z.number(), type: z.string() })) });
const event = z.object({ id: z.string(), type: z.string() });

test('a call goes on while another server takes the database over; no fact of it is lost, and each event is told', async (t) => {
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
  // What was told when the first server died may be told again, with the same id.
  const told = await until('the end is told', () => {
    const arrived = receiver.received.map(({ rawBody }) => event.parse(JSON.parse(rawBody)));
    return arrived.some(({ type }) => type === 'call.ended') ? arrived : undefined;
  });
  t.is(new Set(told.flatMap(({ id, type }) => (type === 'call.ended' ? [id] : []))).size, 1);
});
