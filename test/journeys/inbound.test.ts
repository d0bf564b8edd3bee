import test from 'ava';
import { startAgentServer, sendJson, sendReply } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { z } from 'zod';

const arrival = z.object({ call_id: z.string(), status: z.string(), end_reason: z.string().nullable() });

const callIn = async (gateway: TestGateway, script?: readonly object[]) => {
  const { status, body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    ...(script === undefined ? {} : { script }),
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return arrival.parse(body);
};

test('the built-in agent greets a caller, takes the message and says goodbye', async (t) => {
  const gateway = await testGateway(t);
  const { call_id } = await callIn(gateway);
  const ended = await gateway.untilStatus(call_id, ...finalStatuses);
  t.like(ended, {
    status: 'completed',
    end_reason: 'agent_hangup',
    direction: 'inbound',
    from: '01012345678',
    to: gateway.credentials.number,
    counterparty: '01012345678',
  });
  const turns = await gateway.transcript(call_id);
  t.is(turns[0]?.text, '안녕하세요, 전화 주셔서 감사합니다. 무엇을 도와드릴까요?');
});

test('a cry of one syllable, which almost is a backchannel, is heard like any word', async (t) => {
  const gateway = await testGateway(t);
  const cry = `${'아'.repeat(40)}악`;
  const { call_id } = await callIn(gateway, [{ interrupt: cry }, { listen: true }, { hang_up: true }]);
  t.like(await gateway.untilStatus(call_id, ...finalStatuses), { end_reason: 'counterparty_hangup' });
  const turns = await gateway.transcript(call_id);
  t.deepEqual(
    turns.filter(({ role }) => role === 'user').map(({ text }) => text),
    [cry],
  );
  t.is(turns.at(-1)?.role, 'assistant');
});

test('a caller who puts the call on hold for longer than a silence may last is waited for', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 10 });
  const { call_id } = await callIn(gateway, [
    { listen: true },
    { hold_sec: 120 },
    { say: '죄송합니다, 다시 왔어요.' },
    { listen: true },
    { hang_up: true },
  ]);
  t.like(await gateway.untilStatus(call_id, ...finalStatuses), { end_reason: 'counterparty_hangup' });
  const { body } = await gateway.admin.get(`/api/v1/admin/calls/${call_id}/events`);
  const types = z
    .array(z.object({ type: z.string() }))
    .parse(body['events'])
    .map(({ type }) => type);
  const held = types.indexOf('call.held');
  t.deepEqual(types.slice(held, held + 3), ['call.held', 'call.resumed', 'turn.spoken']);
});

test('an endpoint waits for the caller, gets the flipped context and the session token of the handshake', async (t) => {
  const gateway = await testGateway(t);
  const door = await startAgentServer(sendJson({ session_token: 'caller-session' }));
  const server = await startAgentServer(sendReply('How can I help?'));
  t.teardown(door.close);
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
  const set = await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, {
    method: 'handshake',
    url: door.url,
  });
  t.is(set.status, 200);
  const { call_id } = await callIn(gateway, [{ say: 'Good morning' }, { listen: true }, { hang_up: true }]);
  t.like(await gateway.untilStatus(call_id, ...finalStatuses), { end_reason: 'counterparty_hangup' });
  const [request] = server.requests;
  t.is(request?.headers.authorization, 'Bearer caller-session');
  t.like(JSON.parse(request?.body ?? ''), {
    message: 'Good morning',
    gw: { direction: 'inbound', from: '01012345678', to: gateway.credentials.number },
  });
  t.regex(String(door.requests[0]?.headers['webhook-signature']), /^v1,/);
  t.false(gateway.logged.some((line) => line.includes('caller-session')));
});

test('a caller whom the handshake rejects is not answered', async (t) => {
  const gateway = await testGateway(t);
  const door = await startAgentServer(sendJson({}, 403));
  t.teardown(door.close);
  await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, { method: 'handshake', url: door.url });
  const { call_id, ...rest } = await callIn(gateway);
  t.deepEqual(rest, { status: 'failed', end_reason: 'caller_rejected' });
  t.like(await gateway.untilStatus(call_id, 'failed'), { answered_at: null, duration_sec: 0 });
});

const rejections = test.macro<[(gateway: TestGateway) => Promise<unknown>, string, string]>({
  async exec(t, arrange, reason, summary) {
    const gateway = await testGateway(t);
    await arrange(gateway);
    const { call_id } = await callIn(gateway);
    const path = `/api/v1/calls/${call_id}`;
    const call = await until('the call is summarized', async () => {
      const { body } = await gateway.client.get(path);
      return body['summary'] === null ? undefined : body;
    });
    t.like(call, { status: 'failed', end_reason: reason, summary });
    const { body } = await gateway.client.get(`${path}/events`);
    t.like(body, {
      events: {
        length: 2,
        0: { type: 'call.ended', data: { end_reason: reason, status: 'failed' } },
        1: { type: 'call.summarized', data: { summary } },
      },
    });
  },
  title: (_, __, reason) => `a caller turned away by ${reason} leaves facts and a summary like every call`,
});
test(
  rejections,
  async (gateway) => {
    // Nobody listens there.
    const door = await startAgentServer(sendJson({}, 403));
    await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, { method: 'handshake', url: door.url });
    await door.close();
  },
  'caller_rejected',
  '대화는 없었습니다. 발신자 확인을 통과하지 못해 받지 않았습니다.',
);
test(
  rejections,
  (gateway) => gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' }),
  'no_agent_endpoint',
  '대화는 없었습니다. 연결된 에이전트가 없어 받지 않았습니다.',
);

test('a number without an inbound endpoint rejects its callers', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' });
  const { status, end_reason } = await callIn(gateway);
  t.deepEqual({ status, end_reason }, { status: 'failed', end_reason: 'no_agent_endpoint' });
});

test('the greeting of a number is said to its callers, whatever the agent', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.patch(gateway.numberPath, { greeting: 'Welcome to the shop.' });
  const { call_id } = await callIn(gateway, [{ listen: true }, { hang_up: true }]);
  await gateway.untilStatus(call_id, ...finalStatuses);
  t.is((await gateway.transcript(call_id))[0]?.text, 'Welcome to the shop.');
});
