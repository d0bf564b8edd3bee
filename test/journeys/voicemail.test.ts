/** Calls that an answering machine takes, on the simulated line. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const machine = '01055551234';
const greeting = '지금은 전화를 받을 수 없습니다. 삐 소리가 난 후 메시지를 남겨 주세요.';
const message = '안녕하세요. 예약 확인차 전화드렸습니다. 편하실 때 전화 부탁드립니다.';

/** A gateway whose number does this with machines; at `machine` one answers. */
const world = async (t: ExecutionContext, number: Record<string, unknown>): Promise<TestGateway> => {
  // Slowly enough that a busy machine does not make a silence of a moment.
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '6' });
  const { status } = await gateway.admin.patch(gateway.numberPath, number);
  t.is(status, 200);
  const script = [
    { announce: greeting },
    { wait_sec: 1 },
    { beep: true },
    { wait_sec: 20 },
    { hang_up: true },
  ];
  const defined = await gateway.admin.put(`/api/v1/admin/simulator/callees/${machine}`, { script });
  t.true(defined.status < 300, JSON.stringify(defined.body));
  return gateway;
};

const said = async (gateway: TestGateway, callId: string, role: string): Promise<string[]> =>
  (await gateway.transcript(callId)).filter((turn) => turn.role === role).map(({ text }) => text);

test('a message is left after the beep, whole, and the call ends by the agent', async (t) => {
  const gateway = await world(t, { voicemail: 'leave_message', voicemail_message: message });
  const callId = await gateway.call(machine, '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
    answered_by: 'machine',
  });
  t.deepEqual(await said(gateway, callId, 'user'), [greeting]);
  const turns = await gateway.transcript(callId);
  t.is(turns.at(-1)?.text, message);
  t.is(turns.filter(({ text }) => text.includes(message.slice(0, 10))).length, 1);
  t.is(turns.at(-2)?.text, greeting, 'nothing was said between the greeting and the message');
});

test('without a message of its own a number leaves the sentence of its language', async (t) => {
  const gateway = await world(t, { voicemail: 'leave_message' });
  const callId = await gateway.call(machine, '비밀스러운 용건');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
  const last = (await said(gateway, callId, 'assistant')).at(-1);
  t.is(last, '안녕하세요. 전화를 받지 못하셔서 메시지를 남깁니다. 다시 연락드리겠습니다. 감사합니다.');
});

test('a machine is hung up on where the number says so', async (t) => {
  const gateway = await world(t, { voicemail: 'hang_up' });
  const callId = await gateway.call(machine);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
    answered_by: 'machine',
  });
});

test('otherwise the agent talks to it, and it is only told', async (t) => {
  const gateway = await world(t, {});
  const callId = await gateway.call(machine, '예약 확인');
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  t.like(ended, { end_reason: 'counterparty_hangup', answered_by: 'machine' });
  t.true((await said(gateway, callId, 'assistant')).length >= 1);
});

test('a person is told as well, while the conversation goes on, and a caller never', async (t) => {
  const gateway = await world(t, { voicemail: 'hang_up' });
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const created = await gateway.admin.post('/api/v1/admin/webhooks', {
    url: receiver.url,
    events: ['call.answered_by', 'call.ended'],
  });
  receiver.trust(z.string().parse(created.body['secret']));
  const callId = await gateway.call('01000000001', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    end_reason: 'agent_hangup',
    answered_by: 'human',
  });
  const bodies = await until('both events came', () => {
    const all = receiver.received.map(({ rawBody }) =>
      z
        .object({ type: z.string(), call: z.object({ status: z.string(), answered_by: z.string() }) })
        .parse(JSON.parse(rawBody)),
    );
    return all.length === 2 ? all : undefined;
  });
  t.deepEqual(
    bodies.find(({ type }) => type === 'call.answered_by'),
    { type: 'call.answered_by', call: { status: 'active', answered_by: 'human' } },
  );
  const placed = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    script: [{ announce: greeting }, { beep: true }, { hang_up: true }],
  });
  const inbound = z.object({ call_id: z.string() }).parse(placed.body).call_id;
  t.like(await gateway.untilStatus(inbound, ...finalStatuses), {
    end_reason: 'counterparty_hangup',
    answered_by: null,
  });
});
