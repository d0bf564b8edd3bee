import test from 'ava';
import { startAgentServer, sendReply } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { z } from 'zod';

const farewell = 'Thank you very much for your time today. Goodbye, and have a wonderful evening.';

/** Long enough that whoever speaks into it does so in time, however busy the machine is. */
const longFarewell = Array.from({ length: 4 }, () => farewell).join(' ');

/**
 * An agent server that says something, and with each reply from the second on requests the hangup and says goodbye:
 * at length first, then briefly.
 */
const politeAgent = (hangUp: (callId: string) => Promise<unknown>) => {
  let next = longFarewell;
  return startAgentServer(async (response, request) => {
    const { call_id, message } = z
      .object({ call_id: z.string(), message: z.string() })
      .parse(JSON.parse(request.body));
    if (message.startsWith('[outbound')) return sendReply('Hello, is everything fine?')(response, request);
    await hangUp(call_id);
    await sendReply(next)(response, request);
    next = farewell;
  });
};

test('speaking into the farewell cancels the hangup, and the next farewell is heard to its end', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
  const answers: unknown[] = [];
  const server = await politeAgent(async (callId) => {
    const { status, body } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
    answers.push([status, body['status']]);
  });
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
  const callId = await gateway.call('01000000005');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  t.deepEqual(answers, [
    [202, 'hangup_requested'],
    [202, 'hangup_requested'],
  ]);
  const said = (await gateway.transcript(callId))
    .filter(({ role }) => role === 'assistant')
    .map(({ text }) => text);
  t.is(said.at(-1), farewell);
  const cutOff = said.at(-2) ?? '';
  t.true(
    longFarewell.startsWith(cutOff) && cutOff.length < longFarewell.length,
    `"${cutOff}" is the part that was heard`,
  );
});

test('immediate does not wait for the farewell', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const server = await startAgentServer(sendReply(`${farewell} ${farewell}`));
  t.teardown(server.close);
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: server.url,
  });
  const callId = await gateway.call('01000000006');
  await gateway.untilStatus(callId, 'active');
  const { status } = await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  t.is(status, 202);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  const again = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
  t.is(again.status, 409);
  t.is(again.body['code'], 'call_not_active');
});

test('a ringing call cannot be hung up, but cancelled', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const callId = await gateway.call('01000000002');
  const refused = await gateway.client.post(`/api/v1/calls/${callId}/hangup`);
  t.is(refused.body['code'], 'call_not_active');
  t.is((await gateway.client.post(`/api/v1/calls/${callId}/cancel`)).status, 202);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'no_answer',
    end_reason: 'cancelled',
    duration_sec: 0,
  });
});

test('the built-in agent hangs up through the same request, and its goodbye survives an interruption', async (t) => {
  // Slow enough that its short farewell is spoken into in time.
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '2' });
  const callId = await gateway.call('01000000005', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
  const { body } = await gateway.admin.get(`/api/v1/admin/calls/${callId}`);
  t.is(body['status'], 'completed');
  const turns = await until('the transcript is complete', async () => {
    const all = await gateway.transcript(callId);
    return all.at(-1)?.text.includes('안녕히 계세요') === true ? all : undefined;
  });
  t.true(turns.some(({ role, text }) => role === 'user' && text.includes('잠깐만요')));
});
