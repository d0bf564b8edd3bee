import test from 'ava';
import { z } from 'zod';
import { Webhook } from 'standardwebhooks';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { runExample } from './run-example.ts';

type Verify = (secret: string, headers: Record<string, string>, body: string) => unknown;
const module = z.object({ verify: z.custom<Verify>((value) => typeof value === 'function') });
const load = async (file: string): Promise<Verify> =>
  module.parse(await import(new URL(`../../examples/events/${file}`, import.meta.url).href)).verify;

const body = '{"id":"evt_1","text":"안녕하세요"}';
const nowSec = Math.floor(Date.now() / 1000);
const signed = (secrets: string[], timestamp = nowSec): Record<string, string> =>
  signStandardWebhook({ id: 'evt_1', timestamp, body, secrets });

const verifies = test.macro<[string]>({
  async exec(t, file) {
    const verify = await load(file);
    const [secret, other] = [newEndpointSecret(), newEndpointSecret()];
    t.deepEqual(verify(secret, signed([secret]), body), JSON.parse(body));
    t.deepEqual(
      verify(secret, signed([other, secret]), body),
      JSON.parse(body),
      'while a secret is replaced',
    );
    t.deepEqual(new Webhook(secret).verify(body, signed([secret])), JSON.parse(body));
    const bad: Record<string, [Record<string, string>, string]> = {
      'another secret': [signed([other]), body],
      'another body': [signed([secret]), `${body} `],
      'too old': [signed([secret], nowSec - 600), body],
      'from the future': [signed([secret], nowSec + 600), body],
      'no number': [{ ...signed([secret]), 'webhook-timestamp': 'now' }, body],
      unsigned: [{}, body],
      'a short signature': [{ ...signed([secret]), 'webhook-signature': 'v1,AAAA' }, body],
      'no version': [{ ...signed([secret]), 'webhook-signature': 'x' }, body],
    };
    for (const [what, [headers, text]] of Object.entries(bad))
      t.throws(() => verify(secret, headers, text), undefined, what);
  },
  title: (_, file) => `${file} believes what the gateway signs, and nothing else`,
});

test(verifies, 'verify.mjs');
test(verifies, 'verify-with-package.mjs');

test('receiver.mjs takes the events of a call, each once', async (t) => {
  const gateway = await testGateway(t);
  // The secret is known when the endpoint exists, and the endpoint when the receiver listens.
  const unused = await runExample(t, 'events/receiver.mjs', {});
  const created = await gateway.admin.post('/api/v1/admin/webhooks', { url: unused.url });
  const { id, secret } = z.object({ id: z.string(), secret: z.string() }).parse(created.body);
  const receiver = await runExample(t, 'events/receiver.mjs', { WEBHOOK_SECRET: secret });
  await gateway.admin.patch(`/api/v1/admin/webhooks/${id}`, { url: receiver.url });
  const tried = await gateway.admin.post(`/api/v1/admin/webhooks/${id}/test`);
  t.like(tried.body, { http_status: 204, error: null });

  const placed = await gateway.client.post('/api/v1/calls', {
    to: '01000000007',
    metadata: { order: 'A-1042' },
  });
  const callId = z.uuid().parse(placed.body['call_id']);
  await gateway.untilStatus(callId, ...finalStatuses);
  const count = (type: string): number => receiver.output().split(`${type} ${callId}`).length - 1;
  await until('the recording is told', () => (count('recording.completed') > 0 ? true : undefined));

  const list = await gateway.admin.get(`/api/v1/admin/webhooks/${id}/deliveries`);
  const deliveries = z.array(z.object({ id: z.string(), type: z.string() })).parse(list.body['deliveries']);
  const ended = deliveries.find(({ type }) => type === 'call.ended')?.id;
  await gateway.admin.post(`/api/v1/admin/deliveries/${ended}/replay`);
  await until('it was sent again', async () => {
    const { body: page } = await gateway.admin.get(`/api/v1/admin/webhooks/${id}/deliveries?state=delivered`);
    const all = z
      .array(z.object({ id: z.string(), attempts: z.array(z.unknown()) }))
      .parse(page['deliveries']);
    return all.some((each) => each.id === ended && each.attempts.length === 2) || undefined;
  });
  for (const type of ['call.ringing', 'call.answered', 'call.ended']) t.is(count(type), 1, type);
  t.regex(receiver.output(), /^call\.ended .* \{ order: 'A-1042' \}$/m);
});
