/** Inbound calls through a whole gateway on the simulated line, whose clock runs fast while the gateway is idle. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sendJson, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { type TestGateway, finalStatuses, sharedGatewayWithNumbers } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { readOggVorbis } from '#test/recordings/ogg-vorbis.ts';

// Arrival

const sharing = sharedGatewayWithNumbers();

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

test.serial('the built-in agent greets a caller, takes the message and says goodbye', async (t) => {
  const gateway = await sharing(t);
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

test.serial('a call has its summary from the moment of its end', async (t) => {
  const gateway = await sharing(t);
  const { call_id } = await callIn(gateway, [{ say: '안녕하세요' }, { listen: true }, { hang_up: true }]);
  t.regex(String((await gateway.untilStatus(call_id, ...finalStatuses))['summary']), /"안녕하세요"$/);
  const { body } = await gateway.client.get(`/api/v1/calls/${call_id}/events`);
  const events = z.array(z.object({ type: z.string(), at: z.string() })).parse(body['events']);
  const ended = events.findIndex(({ type }) => type === 'call.ended');
  t.deepEqual(events[ended + 1], { type: 'call.summarized', at: events[ended]?.at ?? '' });
});

test.serial(
  'treats a one-syllable exclamation that resembles a backchannel like any other word',
  async (t) => {
    const gateway = await sharing(t);
    const cry = `${'아'.repeat(40)}악`;
    const { call_id } = await callIn(gateway, [{ interrupt: cry }, { listen: true }, { hang_up: true }]);
    t.like(await gateway.untilStatus(call_id, ...finalStatuses), { end_reason: 'counterparty_hangup' });
    const turns = await gateway.transcript(call_id);
    t.deepEqual(
      turns.filter(({ role }) => role === 'user').map(({ text }) => text),
      [cry],
    );
    t.is(turns.at(-1)?.role, 'assistant');
  },
);

test.serial('keeps a call whose caller holds it for longer than the silence time-out', async (t) => {
  const gateway = await sharing(t);
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

test.serial(
  'sends an inbound agent the caller, the swapped context and the session token of the handshake',
  async (t) => {
    const gateway = await sharing(t);
    const door = await startAgentServer(sendJson({ session_token: 'caller-session' }));
    const server = await startAgentServer(sendReply('How can I help?'));
    t.teardown(door.close);
    t.teardown(server.close);
    await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: server.url,
      headers: { 'x-api-key': 'key-of-the-agent' },
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
    t.is(request?.headers['x-api-key'], 'key-of-the-agent');
    t.false('x-api-key' in (door.requests[0]?.headers ?? {}), 'the handshake is no request to the agent');
    t.like(JSON.parse(request?.body ?? ''), {
      message: 'Good morning',
      gw: { direction: 'inbound', from: '01012345678', to: gateway.credentials.number },
    });
    t.regex(String(door.requests[0]?.headers['webhook-signature']), /^v1,/);
    t.false(gateway.logged.some((line) => line.includes('caller-session')));
  },
);

test.serial('does not answer a caller that the handshake rejects', async (t) => {
  const gateway = await sharing(t);
  const door = await startAgentServer(sendJson({}, 403));
  t.teardown(door.close);
  await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, { method: 'handshake', url: door.url });
  const { call_id, ...rest } = await callIn(gateway);
  t.deepEqual(rest, { status: 'failed', end_reason: 'caller_rejected' });
  t.like(await gateway.untilStatus(call_id, 'failed'), { answered_at: null, duration_sec: 0 });
});

const rejections = test.macro<[(gateway: TestGateway) => Promise<unknown>, string, string]>({
  async exec(t, arrange, reason, summary) {
    const gateway = await sharing(t);
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
  title: (_, __, reason) =>
    `a caller rejected because of ${reason} leaves facts and a summary like every call`,
});
test.serial(
  rejections,
  async (gateway) => {
    // No process listens there.
    const door = await startAgentServer(sendJson({}, 403));
    await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, { method: 'handshake', url: door.url });
    await door.close();
  },
  'caller_rejected',
  '대화는 없었습니다. 발신자 확인을 통과하지 못해 받지 않았습니다.',
);
test.serial(
  rejections,
  (gateway) => gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' }),
  'no_agent_endpoint',
  '대화는 없었습니다. 연결된 에이전트가 없어 받지 않았습니다.',
);

test.serial('rejects callers of a number without an inbound agent', async (t) => {
  const gateway = await sharing(t);
  await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' });
  const { status, end_reason } = await callIn(gateway);
  t.deepEqual({ status, end_reason }, { status: 'failed', end_reason: 'no_agent_endpoint' });
});

test.serial('speaks the greeting of a number to its callers, for any agent type', async (t) => {
  const gateway = await sharing(t);
  await gateway.admin.patch(gateway.numberPath, { greeting: 'Welcome to the shop.' });
  const { call_id } = await callIn(gateway, [{ listen: true }, { hang_up: true }]);
  await gateway.untilStatus(call_id, ...finalStatuses);
  t.is((await gateway.transcript(call_id))[0]?.text, 'Welcome to the shop.');
});

// Consent

const announce = '이 통화는 녹음됩니다. 동의하십니까?';

const consentEvent = z.object({
  type: z.string(),
  call: z.object({ consent: z.object({ given: z.boolean(), how: z.string() }).optional() }),
});

const consented = z.object({ given: z.boolean(), how: z.string(), at: z.string() });

/** The gateway of the tests whose recordings are decoded. */
const audible = sharedGatewayWithNumbers({ GW_RECORDINGS_FORMAT: 'ogg' });

/** A call of a person with this script to a number of the gateway whose agent says one sentence. */
const callWithConsent = async (
  t: ExecutionContext,
  require: string,
  script: readonly object[],
  gatewayOf = sharing,
) => {
  const gateway = await gatewayOf(t);
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
        const events = receiver
          .eventsOf(callId)
          .map(({ rawBody }) => consentEvent.parse(JSON.parse(rawBody)));
        return events.find(({ type }) => type === 'call.consent')?.call.consent;
      }),
  };
};

test.serial('a party that consents talks to the agent and is recorded from then on', async (t) => {
  const script = [
    { listen: true },
    { say: '네, 동의합니다.' },
    { say: '예약을 확인하고 싶어요.' },
    { listen: true },
    { hang_up: true },
  ];
  const call = await callWithConsent(t, 'speech', script, audible);
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

test.serial(
  'a party that refuses consent hears a goodbye, and the agent never receives the call',
  async (t) => {
    const call = await callWithConsent(t, 'speech', [{ listen: true }, { say: '아니요.' }], audible);
    t.like(await call.end(), { status: 'completed', end_reason: 'consent_refused' });
    t.like(await call.told(), { given: false, how: 'speech' });
    t.is(call.agent.requests.length, 0);
    const { blocks } = await call.recording();
    t.false(blocks.some(({ left, right }) => left || right === true));
  },
);

test.serial(
  'accepts a digit as consent where a digit is required, and does not accept silence',
  async (t) => {
    const agreed = await callWithConsent(t, 'key', [
      { listen: true },
      { digits: '1' },
      { say: '예약을 확인하고 싶어요.' },
      { listen: true },
      { hang_up: true },
    ]);
    t.like(consented.parse((await agreed.end())['consent']), { given: true, how: 'key' });
    t.is(agreed.agent.turns.length, 1);
    const silent = await callWithConsent(t, 'key', [{ wait_sec: 120 }]);
    const ended = await silent.end();
    t.is(ended['end_reason'], 'consent_refused');
    t.like(consented.parse(ended['consent']), { given: false, how: 'silence' });
  },
);

test.serial('plays the announcement first, and rejects requests to the call before its end', async (t) => {
  const call = await callWithConsent(t, 'none', [
    { wait_sec: 5 },
    { say: '여보세요?' },
    { listen: true },
    { hang_up: true },
  ]);
  t.like(consented.parse((await call.end())['consent']), { given: true, how: 'announcement' });
  t.is((await call.turns())[0], `assistant: ${announce}`);
});

test.serial('rejects settings that require consent without an announcement', async (t) => {
  const { admin, numberPath } = await sharing(t);
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

// DTMF digits

const callCollecting = async (gateway: TestGateway, script: readonly object[]): Promise<string> => {
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01098765432',
    script,
  });
  return z.uuid().parse(body['call_id']);
};

const collectingAgent = async (
  t: ExecutionContext,
  gateway: TestGateway,
  replies: (text: string, turn: number) => string,
) => {
  const agent = await startFakeAgent('webhook', (text, turn) => ({ pieces: [replies(text, turn)] }));
  t.teardown(agent.close);
  const { status } = await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, {
    ...agent.binding,
    controls: 'inline',
  });
  t.is(status, 200);
  return agent;
};

test.serial('sends the collected digits to the agent as one turn', async (t) => {
  const gateway = await sharing(t);
  const agent = await collectingAgent(t, gateway, (_, turn) =>
    turn === 1 ? 'Your number, please.<collect finish="#"/>' : 'Thank you. Goodbye.<hangup/>',
  );
  const callId = await callCollecting(gateway, [{ say: 'Hello.' }, { listen: true }, { digits: '4711#' }]);
  await gateway.untilStatus(callId, 'completed');
  t.is(agent.turns[1]?.text, '[keys] 4711');
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}/transcript`);
  t.true(JSON.stringify(body).includes('[keys] 4711'));
});
