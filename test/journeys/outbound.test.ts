import test, { type ExecutionContext } from 'ava';
import { phrases } from '#src/domain/phrases.ts';
import { sendBody, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { until } from '#test/helpers/until.ts';
import { z } from 'zod';

test('a newcomer places a call and reads how it went', async (t) => {
  const gateway = await testGateway(t);
  const created = await gateway.client.post('/api/v1/calls', {
    to: '010-0000 0001',
    instruction: '내일 오후 3시 예약을 확인해 주세요',
  });
  t.is(created.status, 201);
  const callId = z.string().parse(created.body['call_id']);
  t.deepEqual(created.body, { call_id: callId, status: 'ringing', from: gateway.credentials.number });

  const active = await gateway.untilStatus(callId, 'active');
  t.like(active, { duration_sec: null, options_pending: {} });
  t.deepEqual(active['options'], { max_duration_sec: 600, recording: true });

  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  t.like(ended, {
    status: 'completed',
    end_reason: 'agent_hangup',
    to: '01000000001',
    direction: 'outbound',
  });
  t.true(z.number().parse(ended['duration_sec']) > 0);

  const turns = await gateway.transcript(callId);
  t.true(turns.length >= 4);
  t.deepEqual(
    turns.map(({ sequence }) => sequence),
    turns.map((_, index) => index + 1),
  );
  t.deepEqual(new Set(turns.map(({ role }) => role)), new Set(['assistant', 'user']));
  t.true(turns[0]?.text.includes('내일 오후 3시 예약을 확인해 주세요'));
  t.true(turns.at(-1)?.text.includes('안녕히 계세요'), 'the farewell was heard to its end');

  const summarized = await until('the summary is written', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    return typeof body['summary'] === 'string' ? body['summary'] : undefined;
  });
  t.regex(summarized, /AI가 통화를 마쳤습니다/);
});

test('while a call rings its options are pending, and nothing has an end', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const callId = await gateway.call('01000000002');
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
  t.like(body, { status: 'ringing', end_reason: null, duration_sec: null, answered_at: null });
  t.deepEqual(body['options'], {});
  t.deepEqual(body['options_pending'], { max_duration_sec: 600, recording: true });
});

test('the recording of a call can be heard: both parties, in a real file', async (t) => {
  const gateway = await testGateway(t);
  const callId = await gateway.call('01000000001', 'Confirm the reservation');
  await gateway.untilStatus(callId, ...finalStatuses);
  const done = await until('the recording is there', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    const { status } = z.object({ status: z.string() }).parse(body['recording']);
    return status === 'pending' ? undefined : body['recording'];
  });
  t.like(done, { status: 'completed' });
  const file = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
  t.is(file.status, 200);
  t.regex(file.headers.get('content-type') ?? '', /^audio\/(ogg|mpeg)$/);
  t.true(file.bytes.length > 10_000);
  const part = await gateway.client.get(`/api/v1/calls/${callId}/recording`, { range: 'bytes=-100' });
  t.is(part.status, 206);
  t.deepEqual(part.bytes, file.bytes.subarray(-100));
});

test('a customer hears of a call by events, each after a read shows it, the end last', async (t) => {
  const gateway = await testGateway(t);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const created = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url, events: null });
  t.is(created.status, 201);
  receiver.trust(z.string().parse(created.body['secret']));
  const callId = await gateway.call('01000000007');
  const types = await until('all events came', () => {
    const got = receiver.received.map(
      ({ rawBody }) => z.object({ type: z.string() }).parse(JSON.parse(rawBody)).type,
    );
    return got.includes('call.ended') && got.includes('call.answered') && got.includes('call.ringing')
      ? got
      : undefined;
  });
  t.is(types.filter((type) => type === 'call.ended').length, 1);
  const end = receiver.received.find(({ rawBody }) => rawBody.includes('"call.ended"'));
  t.true((end?.signedWith.length ?? 0) > 0);
  const body = z
    .object({
      id: z.string(),
      call: z.object({ id: z.string(), status: z.string(), end_reason: z.string() }),
    })
    .parse(JSON.parse(end?.rawBody ?? ''));
  t.deepEqual(body.call, {
    ...body.call,
    id: callId,
    status: 'completed',
    end_reason: 'counterparty_hangup',
  });
});

test('a webhook agent is asked with kickoff, context and token, and hangs up through the API', async (t) => {
  const gateway = await testGateway(t);
  const server = await startAgentServer(async (response, request) => {
    const { call_id, message } = z
      .object({ call_id: z.string(), message: z.string() })
      .parse(JSON.parse(request.body));
    if (message.startsWith('[outbound call connected]'))
      return sendReply('Hello. Is tomorrow fine?')(response, request);
    await gateway.client.post(`/api/v1/calls/${call_id}/hangup`);
    await sendReply('Thank you. Goodbye and have a nice day.')(response, request);
  });
  t.teardown(server.close);
  const bound = await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
    token: 'a-secret-token',
  });
  t.is(bound.status, 200);
  const callId = await gateway.call('01000000001', 'Ask about\ntomorrow');
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  t.like(ended, { status: 'completed', end_reason: 'agent_hangup' });
  const [first] = server.requests;
  t.is(first?.headers.authorization, 'Bearer a-secret-token');
  t.regex(String(first?.headers['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  t.deepEqual(JSON.parse(first?.body ?? ''), {
    call_id: callId,
    session_id: callId,
    message:
      '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] Ask about tomorrow',
    locale: 'ko',
    gw: {
      call_id: callId,
      direction: 'outbound',
      from: gateway.credentials.number,
      to: '01000000001',
      language: 'ko',
    },
  });
  const turns = await gateway.transcript(callId);
  t.is(turns[0]?.text, 'Hello. Is tomorrow fine?');
  t.is(turns.at(-1)?.text, 'Thank you. Goodbye and have a nice day.');
  t.false(gateway.logged.some((line) => /secret-token|01000000001|tomorrow|gw_live_|gw_admin_/.test(line)));
});

/** A call to somebody who answers politely, by a webhook agent of which these replies fail. */
const callWithFailing = async (t: ExecutionContext, failing: (turn: number) => boolean) => {
  const gateway = await testGateway(t);
  let turn = 0;
  const server = await startAgentServer((...asked) => {
    turn += 1;
    const answer = failing(turn) ? sendBody('', 500) : sendReply('안녕하세요. 내일 괜찮으세요?');
    return answer(...asked);
  });
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
  await gateway.admin.put('/api/v1/admin/simulator/callees/01077770003', {
    script: [
      { listen: true },
      { say: '누구세요?' },
      { listen: true },
      { say: '누구시냐고요' },
      { listen: true },
    ],
  });
  const callId = await gateway.call('01077770003');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'failed',
    end_reason: 'agent_error',
  });
  const said = (await gateway.transcript(callId)).filter(({ role }) => role === 'assistant');
  return { said: said.map(({ text }) => text), asked: server.requests.length };
};

test('an agent that fails twice in a row apologises once, then says goodbye and ends the call', async (t) => {
  const { said, asked } = await callWithFailing(t, (turn) => turn > 1);
  const { apology, failedGoodbye } = phrases.ko;
  t.deepEqual(said, ['안녕하세요. 내일 괜찮으세요?', apology, failedGoodbye]);
  t.is(asked, 3);
});

test('an agent that fails at the kickoff introduces the call and says goodbye', async (t) => {
  const { said, asked } = await callWithFailing(t, () => true);
  t.deepEqual(said, [phrases.ko.failedOpening]);
  t.is(asked, 1);
});

const outcome = test.macro<[string, string, string]>({
  async exec(t, to, status, endReason) {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '100' });
    const callId = await gateway.call(to);
    const ended = await gateway.untilStatus(callId, ...finalStatuses);
    t.like(ended, { status, end_reason: endReason });
    if (status !== 'completed') t.is(ended['duration_sec'], 0);
  },
  title: (_, to, status, endReason) => `a call to ${to} ends ${status} because of ${endReason}`,
});

test(outcome, '01000000002', 'no_answer', 'no_answer');
test(outcome, '01000000003', 'no_answer', 'busy');
test(outcome, '01000000004', 'no_answer', 'declined');
test(outcome, '01000000006', 'completed', 'silence_timeout');
test(outcome, '01000000007', 'completed', 'counterparty_hangup');
test(outcome, '01000000009', 'failed', 'trunk_error');
