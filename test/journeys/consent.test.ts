/** A number that announces something first: who agrees talks with the agent, and who does not is said goodbye. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { readOggVorbis } from '#test/recordings/ogg-vorbis.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const announce = '이 통화는 녹음됩니다. 동의하십니까?';

const event = z.object({
  type: z.string(),
  call: z.object({ consent: z.object({ given: z.boolean(), how: z.string() }).optional() }),
});

const consented = z.object({ given: z.boolean(), how: z.string(), at: z.string() });

/** A call of a person who does this, to a number with an agent that says one thing. */
const callIn = async (t: ExecutionContext, require: string, script: readonly object[]) => {
  const gateway = await testGateway(t);
  const { admin, client, numberPath, credentials } = gateway;
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['안녕하세요, 상담원입니다.'] }));
  t.teardown(agent.close);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const bound = await admin.put(`${numberPath}/agents/inbound`, agent.binding);
  t.is(bound.status, 200);
  const webhook = await admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(webhook.body['secret']));
  const patched = await admin.patch(numberPath, { consent: { announce, require } });
  t.deepEqual(patched.body['consent'], { announce, require });
  const rung = await admin.post('/api/v1/admin/simulator/calls', {
    to: credentials.number,
    from: '01000000001',
    script,
  });
  const callId = z.string().parse(rung.body['call_id']);
  return {
    gateway,
    agent,
    path: `/api/v1/calls/${callId}`,
    end: () => gateway.untilStatus(callId, ...finalStatuses),
    turns: async () => (await gateway.transcript(callId)).map(({ role, text }) => `${role}: ${text}`),
    transcript: () => gateway.transcript(callId),
    recording: () =>
      until('the recording is completed', async () => {
        const { status, bytes } = await client.get(`/api/v1/calls/${callId}/recording`);
        return status === 200 ? readOggVorbis(bytes) : undefined;
      }),
    told: () =>
      until('consent is told', () => {
        const events = receiver.received.map(({ rawBody }) => event.parse(JSON.parse(rawBody)));
        return events.find(({ type }) => type === 'call.consent')?.call.consent;
      }),
  };
};

test('who says yes talks with the agent, and is recorded from there on', async (t) => {
  const call = await callIn(t, 'speech', [
    { listen: true },
    { say: '네, 동의합니다.' },
    { say: '예약을 확인하고 싶어요.' },
    { listen: true },
    { hang_up: true },
  ]);
  const ended = await call.end();
  t.is(ended['end_reason'], 'counterparty_hangup');
  t.like(consented.parse(ended['consent']), { given: true, how: 'speech' });
  t.like(await call.told(), { given: true, how: 'speech' });
  const turns = await call.turns();
  t.deepEqual(turns.slice(0, 3), [
    `assistant: ${announce}`,
    'user: 네, 동의합니다.',
    'user: 예약을 확인하고 싶어요.',
  ]);
  t.is(call.agent.turns.length, 1, 'the agent is asked about what was said afterwards alone');
  t.false(JSON.stringify(call.agent.requests).includes('녹음됩니다'));
  const { blocks } = await call.recording();
  const [first] = blocks.filter(({ left, right }) => left || right === true).map(({ at }) => at);
  const agreedAt = Date.parse(consented.parse(ended['consent']).at);
  const agreedAfter = (agreedAt - Date.parse(z.string().parse(ended['answered_at']))) / 1_000;
  t.true((first ?? 0) >= agreedAfter - 0.2, 'nothing of what was said before is in it');
});

test('who says no is said goodbye, and the agent never knows of the call', async (t) => {
  const call = await callIn(t, 'speech', [{ listen: true }, { say: '아니요.' }]);
  t.like(await call.end(), { status: 'completed', end_reason: 'consent_refused' });
  t.like(await call.told(), { given: false, how: 'speech' });
  t.is(call.agent.requests.length, 0);
  const { blocks } = await call.recording();
  t.false(blocks.some(({ left, right }) => left || right === true));
});

test('a key agrees where it is asked for, and who is silent does not', async (t) => {
  const agreed = await callIn(t, 'key', [
    { listen: true },
    { digits: '1' },
    { say: '예약을 확인하고 싶어요.' },
    { listen: true },
    { hang_up: true },
  ]);
  t.like(consented.parse((await agreed.end())['consent']), { given: true, how: 'key' });
  t.is(agreed.agent.turns.length, 1);
  const silent = await callIn(t, 'key', [{ wait_sec: 120 }]);
  const ended = await silent.end();
  t.is(ended['end_reason'], 'consent_refused');
  t.like(consented.parse(ended['consent']), { given: false, how: 'silence' });
});

test('who only has to be told is told, and nothing may be asked of the call before', async (t) => {
  const call = await callIn(t, 'none', [
    { wait_sec: 5 },
    { say: '여보세요?' },
    { listen: true },
    { hang_up: true },
  ]);
  t.like(consented.parse((await call.end())['consent']), { given: true, how: 'announcement' });
  t.is((await call.turns())[0], `assistant: ${announce}`);
});

test('whoever must agree must be told to what', async (t) => {
  const { admin, numberPath } = await testGateway(t);
  for (const consent of [
    { announce: null, require: 'key' },
    { announce: '', require: 'none' },
    { announce: 'A', require: 'maybe' },
    'yes',
  ]) {
    const { status, body } = await admin.patch(numberPath, { consent });
    t.deepEqual([status, body['code']], [400, 'invalid_request']);
  }
  t.is((await admin.patch(numberPath, { consent: { announce: null } })).status, 200);
});
