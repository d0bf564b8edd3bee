/** What tells of the other party of a call is erased, and leaves no trace in the database or on the disk. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { everyRow } from '#test/helpers/every-row.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const caller = '01098765432';

/** What a call is filled with; none of it stands anywhere else. */
const traces = new RegExp(`quokka|wombat|numbat|${caller}`, 'i');

/** All that is stored, but for the entry of the audit log that says whom the test made up. */
const stored = async (databaseUrl: string): Promise<string> =>
  (await everyRow(databaseUrl)).replaceAll(`callee:${caller}`, '');

const place = async (gateway: TestGateway): Promise<string> => {
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${caller}`, {
    script: [{ say: 'A quokka, please.' }, { listen: true }, { digits: '9876' }, { hang_up: true }],
  });
  const { body } = await gateway.client.post('/api/v1/calls', {
    to: caller,
    instruction: 'Sell the wombat.',
    metadata: { animal: 'numbat' },
  });
  return z.uuid().parse(body['call_id']);
};

const untilSummarized = (gateway: TestGateway, callId: string) =>
  until('the call is summarized and its recording is kept', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    const { status } = z.object({ status: z.string() }).parse(body['recording']);
    return body['summary'] !== null && status === 'completed' ? body : undefined;
  });

const told = z.object({
  events: z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })),
});

const digitsOf = async (gateway: TestGateway, callId: string) =>
  told
    .parse((await gateway.client.get(`/api/v1/calls/${callId}/events`)).body)
    .events.filter(({ type }) => type === 'turn.digit')
    .map(({ data }) => data['digit']);

const start = async (t: ExecutionContext) => {
  const databaseUrl = await testDatabaseUrl(t);
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '20', GW_DATABASE_URL: databaseUrl });
  return { gateway, databaseUrl };
};

test('an erased call leaves its times and its end, and nothing of the other party', async (t) => {
  const { gateway, databaseUrl } = await start(t);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const { body: endpoint } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(endpoint['secret']));
  const callId = await place(gateway);
  const before = await untilSummarized(gateway, callId);
  const path = `/api/v1/admin/calls/${callId}`;
  t.regex(await stored(databaseUrl), traces);
  t.deepEqual(await digitsOf(gateway, callId), ['9', '8', '7', '6']);

  t.is((await gateway.admin.delete(path)).status, 204);

  const { body: after } = await gateway.admin.get(path);
  t.like(after, {
    counterparty: '32',
    to: '32',
    instruction: null,
    summary: null,
    recording: { status: 'erased' },
    status: before['status'],
    end_reason: before['end_reason'],
    duration_sec: before['duration_sec'],
    started_at: before['started_at'],
  });
  t.false('metadata' in after);
  t.is(after['erased_at'], after['words_erased_at']);
  t.deepEqual((await gateway.admin.get(`${path}/transcript`)).body['transcript'], []);
  t.like((await gateway.admin.get(`${path}/recording`)).body, {
    code: 'recording_not_available',
    reason: 'erased',
  });
  t.is((await gateway.admin.get(`${path}/replay`)).status, 200);
  t.notRegex(await stored(databaseUrl), traces);
  t.deepEqual(await digitsOf(gateway, callId), ['•', '•', '•', '•']);
  const event = await until('its event has come', () =>
    receiver.received
      .map(({ rawBody }) => z.looseObject({ type: z.string() }).parse(JSON.parse(rawBody)))
      .find(({ type }) => type === 'call.erased'),
  );
  t.notRegex(JSON.stringify(event), traces);
  t.like(event, { call: { id: callId, to: '32' } });
  t.like((await gateway.admin.get('/api/v1/admin/audit')).body, {
    entries: [{ action: 'call.erased', subject: `call:${callId}` }],
  });
  for (const q of ['quokka', 'wombat', '9876'])
    t.deepEqual((await gateway.admin.get(`/api/v1/admin/calls?q=${q}`)).body['calls'], [], q);

  t.is((await gateway.admin.delete(path)).status, 204, 'once more');
  t.like((await gateway.admin.get(path)).body, { erased_at: after['erased_at'] });
});
