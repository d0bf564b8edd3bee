import test from 'ava';
import { z } from 'zod';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const event = z.object({ id: z.string(), type: z.string(), call: z.object({ id: z.string() }) });

test('the events of a call arrive signed and in order, and a recording can be fetched when it is said to be complete', async (t) => {
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const gateway = await testGateway(t);
  const { body } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(body['secret']));
  // The second event fails at first: those behind it wait for it.
  receiver.answer({ status: 204 }, { status: 503, headers: { 'retry-after': '1' } });

  const callId = await gateway.call('01000000001', 'Confirm the table');
  const { promise: fetched, resolve } = Promise.withResolvers<number>();
  for (let count = 1; ; count += 1) {
    const last = event.parse(JSON.parse((await receiver.until(count))[count - 1]?.rawBody ?? ''));
    if (last.type === 'recording.completed')
      resolve((await gateway.client.get(`/api/v1/calls/${last.call.id}/recording`)).status);
    const types = new Set(receiver.received.map(({ rawBody }) => event.parse(JSON.parse(rawBody)).type));
    if (types.has('recording.completed') && types.has('call.summarized')) break;
  }
  t.is(await fetched, 200);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });

  t.true(receiver.received.every(({ signedWith }) => signedWith.length === 1));
  const arrived = receiver.received.map(({ rawBody }) => event.parse(JSON.parse(rawBody)));
  t.true(arrived.every(({ call }) => call.id === callId));
  t.is(arrived[1]?.id, arrived[2]?.id, 'what failed is what comes again next');
  const types = [...new Map(arrived.map(({ id, type }) => [id, type])).values()];
  t.deepEqual(
    types.filter((type) => !['recording.completed', 'call.summarized', 'call.answered_by'].includes(type)),
    ['call.ringing', 'call.answered', 'call.hangup_requested', 'call.ended'],
  );
  t.is(types.length, arrived.length - 1, 'nothing else comes twice');
});
