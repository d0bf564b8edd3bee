/** Outbound calls through a whole gateway on the simulated line, whose clock runs fast while the gateway is idle. */
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { phrases } from '#src/domain/phrases.ts';
import { sendBody, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import {
  type TestGateway,
  finalStatuses,
  sharedGatewayWithNumbers,
  testGateway,
} from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

// A call

const sharing = sharedGatewayWithNumbers();
/** A fast gateway for calls without conversation. */
const hurried = sharedGatewayWithNumbers({ GW_SIMULATOR_SPEED: '100' });

test.serial('a first-time user places a call and reads its result', async (t) => {
  const gateway = await sharing(t);
  const created = await gateway.client.post('/api/v1/calls', {
    to: '010-0000 0001',
    instruction: '내일 오후 3시 예약을 확인해 주세요',
  });
  t.is(created.status, 201);
  const callId = z.string().parse(created.body['call_id']);
  t.deepEqual(created.body, { call_id: callId, status: 'ringing', from: gateway.credentials.number });

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
  t.regex(summarized, /이쪽에서 통화를 마쳤습니다/);
});

test.serial('speaks the language of the call instead of that of the number', async (t) => {
  const gateway = await sharing(t);
  const placed = { to: '01000000001', instruction: 'Confirm the table', language: 'en' };
  const { body } = await gateway.client.post('/api/v1/calls', placed);
  const callId = z.string().parse(body['call_id']);
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  t.like(ended, { status: 'completed', language: 'en' });
  const turns = await gateway.transcript(callId);
  t.regex(turns[0]?.text ?? '', /^Hello, I am calling .* Confirm the table\. What may I pass on\?$/);
  t.false(turns.some(({ text }) => /\p{Script=Hangul}/u.test(text)));
});

test.serial('returns the options and no duration of an active call', async (t) => {
  const gateway = await sharing(t);
  // A silent callee stays for longer than a busy machine takes to read the call.
  await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 600 });
  const callId = await gateway.call('01000000006');
  const active = await gateway.untilStatus(callId, 'active');
  t.like(active, { duration_sec: null, options_pending: {} });
  t.deepEqual(active['options'], { max_duration_sec: 600, recording: true });
  t.is((await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
});

test.serial('returns pending options and no end fields for a ringing call', async (t) => {
  const gateway = await sharing(t);
  await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 120 });
  const callId = await gateway.call('01000000002');
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
  t.like(body, { status: 'ringing', end_reason: null, duration_sec: null, answered_at: null });
  t.deepEqual(body['options'], {});
  t.deepEqual(body['options_pending'], { max_duration_sec: 600, recording: true });
});

test.serial('records both parties of a call into a playable file', async (t) => {
  const gateway = await testGateway(t, { GW_RECORDINGS_FORMAT: 'ogg' });
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

test.serial('delivers each event of a call after the API returns its state, and the end last', async (t) => {
  const gateway = await sharing(t);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const created = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url, events: null });
  t.is(created.status, 201);
  receiver.trust(z.string().parse(created.body['secret']));
  const callId = await gateway.call('01000000007');
  const types = await until('all events came', () => {
    const got = receiver
      .eventsOf(callId)
      .map(({ rawBody }) => z.object({ type: z.string() }).parse(JSON.parse(rawBody)).type);
    return got.includes('call.ended') && got.includes('call.answered') && got.includes('call.ringing')
      ? got
      : undefined;
  });
  t.is(types.filter((type) => type === 'call.ended').length, 1);
  const end = receiver.eventsOf(callId).find(({ rawBody }) => rawBody.includes('"call.ended"'));
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

test.serial(
  'a webhook agent receives kickoff, context and token, and hangs up through the API',
  async (t) => {
    const gateway = await sharing(t);
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
  },
);

/** A call to a polite callee, with a webhook agent whose replies with these numbers fail. */
const callWithFailing = async (t: ExecutionContext, failing: (turn: number) => boolean) => {
  const gateway = await sharing(t);
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

test.serial(
  'an agent that fails twice in a row apologises, then says goodbye and ends the call',
  async (t) => {
    const { said, asked } = await callWithFailing(t, (turn) => turn > 1);
    const { apology, failedGoodbye } = phrases.ko;
    t.deepEqual(said, ['안녕하세요. 내일 괜찮으세요?', apology, failedGoodbye]);
    t.is(asked, 3);
  },
);

test.serial('introduces the call and says goodbye if the agent fails at the kickoff', async (t) => {
  const { said, asked } = await callWithFailing(t, () => true);
  t.deepEqual(said, [phrases.ko.failedOpening]);
  t.is(asked, 1);
});

const outcome = test.macro<[string, string, string]>({
  async exec(t, to, status, endReason) {
    const gateway = await hurried(t);
    const callId = await gateway.call(to);
    const ended = await gateway.untilStatus(callId, ...finalStatuses);
    t.like(ended, { status, end_reason: endReason });
    if (status !== 'completed') t.is(ended['duration_sec'], 0);
  },
  title: (_, to, status, endReason) => `a call to ${to} ends with status ${status} and reason ${endReason}`,
});

test.serial(outcome, '01000000002', 'no_answer', 'no_answer');
test.serial(outcome, '01000000003', 'no_answer', 'busy');
test.serial(outcome, '01000000004', 'no_answer', 'declined');
test.serial(outcome, '01000000006', 'completed', 'silence_timeout');
test.serial(outcome, '01000000007', 'completed', 'counterparty_hangup');
test.serial(outcome, '01000000009', 'failed', 'trunk_error');

// Answering machines

const machine = '01055551234';
const greeting = '지금은 전화를 받을 수 없습니다. 삐 소리가 난 후 메시지를 남겨 주세요.';
const message = '안녕하세요. 예약 확인차 전화드렸습니다. 편하실 때 전화 부탁드립니다.';

/** Slow enough that a busy machine does not turn a short gap into silence. */
const slow = sharedGatewayWithNumbers({ GW_SIMULATOR_SPEED: '6' });

/** A gateway whose number has this voicemail setting; a machine answers at `machine`. */
const world = async (t: ExecutionContext, number: Record<string, unknown>): Promise<TestGateway> => {
  const gateway = await slow(t);
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

test.serial('speaks the whole message after the beep of a voicemail, then ends the call', async (t) => {
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

test.serial("speaks the default message in the call's language for a number without its own", async (t) => {
  const gateway = await world(t, { voicemail: 'leave_message' });
  const callId = await gateway.call(machine, '비밀스러운 용건');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
  const last = (await said(gateway, callId, 'assistant')).at(-1);
  t.is(last, '안녕하세요. 전화를 받지 못하셔서 메시지를 남깁니다. 다시 연락드리겠습니다. 감사합니다.');
});

test.serial('hangs up on an answering machine when the number is configured so', async (t) => {
  const gateway = await world(t, { voicemail: 'hang_up' });
  const callId = await gateway.call(machine);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
    answered_by: 'machine',
  });
});

test.serial('by default notifies the agent of an answering machine and lets it talk', async (t) => {
  const gateway = await world(t, {});
  const callId = await gateway.call(machine, '예약 확인');
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  t.like(ended, { end_reason: 'counterparty_hangup', answered_by: 'machine' });
  t.true((await said(gateway, callId, 'assistant')).length >= 1);
});

test.serial(
  'gives name and reason to call screening, and the agent talks to the callee after it',
  async (t) => {
    const gateway = await world(t, { voicemail: 'leave_message', caller_name: '행복한 치과' });
    const script = [
      { announce: '전화를 거신 분의 성함과 용건을 말씀해 주시면 연결해 드리겠습니다.' },
      { wait_sec: 12 },
      { announce: '잠시만 기다려 주세요.' },
      { wait_sec: 5 },
      { say: '여보세요?' },
      { wait_sec: 20 },
      { hang_up: true },
    ];
    const screened = '01055551236';
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${screened}`, { script });
    const callId = await gateway.call(screened, '내일 예약을 확인해 주세요. 비밀번호는 1234입니다.');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { answered_by: 'human' });
    const turns = await gateway.transcript(callId);
    const introduction = '안녕하세요, 행복한 치과입니다. 용건을 말씀드리겠습니다. 내일 예약을 확인해 주세요.';
    const at = turns.findIndex(({ text }) => text === introduction);
    t.true(at > 0, JSON.stringify(turns.map(({ role, text }) => [role, text])));
    t.deepEqual(
      turns.slice(at + 1, at + 3).map(({ text }) => text),
      ['잠시만 기다려 주세요.', '여보세요?'],
    );
    t.is(turns[at + 3]?.role, 'assistant');
  },
);

test.serial('reports a person during the conversation, and does not classify a caller', async (t) => {
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
    const all = receiver
      .eventsOf(callId)
      .map(({ rawBody }) =>
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

// Noise over the voice of the agent

const callee = '01055551235';
const events = z.object({ events: z.array(z.object({ type: z.string() })) });

for (const mode of ['pause', 'stop'] as const)
  test.serial(
    `with barge-in "${mode}", noise does not interrupt, and ${mode === 'pause' ? 'each pause' : 'no pause'} is in the journal`,
    async (t) => {
      const gateway = await slow(t);
      t.is((await gateway.admin.patch(gateway.numberPath, { barge_in: { mode } })).status, 200);
      const script = [{ wait_sec: 0.8 }, { noise_sec: 0.5 }, { wait_sec: 10 }, { hang_up: true }];
      const defined = await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script });
      t.true(defined.status < 300, JSON.stringify(defined.body));
      const callId = await gateway.call(callee, '예약 확인');
      await gateway.untilStatus(callId, ...finalStatuses);
      const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
      const types = events.parse(body).events.map(({ type }) => type);
      t.deepEqual(
        types.filter((type) => type.startsWith('agent.')),
        mode === 'pause' ? ['agent.paused', 'agent.resumed'] : [],
      );
      const turns = await gateway.transcript(callId);
      t.true(turns.length > 0 && turns.every(({ role }) => role === 'assistant'));
    },
  );

// SIP headers

const addTrunk = async ({ admin }: TestGateway, name: string, more: object): Promise<string> => {
  const trunk = { name, host: 'sip.example.com', ...more };
  const { body } = await admin.post('/api/v1/admin/trunks', trunk);
  return z.string().parse(body['id']);
};

/** The response to its request. */
const placed = async (gateway: TestGateway, headers: Record<string, string>) =>
  (await gateway.client.post('/api/v1/calls', { to: '01000000004', sip_headers: headers })).body;

const refusal = (...names: string[]) => ({
  code: 'invalid_request',
  errors: names.map((name) => ({
    path: `sip_headers.${name}`,
    message: 'No trunk of this number has all headers of the call in its "headers_out": this one is missing.',
  })),
});

test.serial(
  'sends all custom headers if one trunk of the number permits them, otherwise rejects the call',
  async (t) => {
    const gateway = await testGateway(t);
    t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'there is no trunk');
    const first = await addTrunk(gateway, 'first', { headers_out: ['X-Ticket', 'X-Queue'] });
    const other = await addTrunk(gateway, 'other', { headers_out: ['X-Other'], headers_in: ['X-In'] });

    const call = await placed(gateway, { 'x-ticket': '1', 'X-Queue': '2' });
    t.like(await gateway.untilStatus(z.uuid().parse(call['call_id']), ...finalStatuses), {
      sip: { headers: { 'x-ticket': '1', 'X-Queue': '2' } },
    });
    t.like(await placed(gateway, { 'X-Ticket': '1', 'X-Other': '2' }), refusal('X-Other'), 'of two trunks');
    t.like(await placed(gateway, { 'X-In': '1' }), refusal('X-In'), 'it is taken, not sent');

    await gateway.admin.patch(gateway.numberPath, { trunk_id: other });
    t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'the number has another trunk');
    await gateway.admin.patch(gateway.numberPath, { trunk_id: first });
    await gateway.admin.patch(`/api/v1/admin/trunks/${first}`, { enabled: false });
    t.like(await placed(gateway, { 'X-Ticket': '1' }), refusal('X-Ticket'), 'its trunk is disabled');
    const { body } = await gateway.client.get('/api/v1/calls');
    t.is(z.array(z.unknown()).parse(body['calls']).length, 1);
  },
);

const told = z.object({ type: z.string(), call: z.looseObject({ id: z.string() }) });

test.serial('stores the permitted headers of a caller in call, events and call record', async (t) => {
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const gateway = await testGateway(t);
  const { body } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(body['secret']));
  await addTrunk(gateway, 'first', { headers_in: ['X-Ticket'], headers_out: ['X-Out'] });
  const arrive = async (headers?: object): Promise<string> => {
    const { body: call } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
      to: gateway.credentials.number,
      from: '01012345678',
      script: [{ hang_up: true }],
      ...(headers === undefined ? {} : { sip_headers: headers }),
    });
    const callId = z.uuid().parse(call['call_id']);
    await gateway.untilStatus(callId, ...finalStatuses);
    return callId;
  };
  const headers = { 'X-Ticket': 'ticket of Sora' };
  const known = await arrive({ 'x-ticket': 'ticket of Sora', 'X-Out': 'a', 'X-Other': 'b' });
  const unknown = await arrive({ 'X-Other': 'b' });
  const plain = await arrive();

  const read = async (callId: string) => (await gateway.client.get(`/api/v1/calls/${callId}`)).body['sip'];
  const none = { status: null, reason: null, call_id: null };
  t.deepEqual(await read(known), { ...none, headers });
  t.deepEqual(await read(unknown), none);
  t.deepEqual(await read(plain), none);
  const events = await until('the ends of all three have arrived', () => {
    const all = receiver.received.map(({ rawBody }) => told.parse(JSON.parse(rawBody)));
    return all.filter(({ type }) => type === 'call.ended').length === 3 ? all : undefined;
  });
  for (const { type, call } of events)
    if (call.id === known) t.deepEqual(call['sip'], { headers }, type);
    else t.false('sip' in call, type);
  t.notRegex(gateway.logged.join(''), /sora|ticket/i);
});

// Policy of the workspace

const path = '/api/v1/admin/workspace';
const neverAnswers = '01000000002';
const polite = '01000000001';

test.serial(
  'applies changed durations, recording setting and time zone of the workspace to the next call',
  async (t) => {
    const { admin, client, call, untilStatus } = await testGateway(t);
    const before = await call(polite);
    await admin.patch(path, {
      max_duration_sec: 300,
      default_duration_sec: 240,
      recording_enabled: false,
      time_zone: 'America/New_York',
    });
    t.like((await client.post('/api/v1/calls', { to: polite, max_duration_sec: 301 })).body, {
      code: 'max_duration_exceeds_policy',
      maximum: 300,
    });
    const after = await call(polite);
    const [first, second] = [await untilStatus(before, 'completed'), await untilStatus(after, 'completed')];
    t.like(first, { options: { max_duration_sec: 600, recording: true } });
    t.like(second, { options: { max_duration_sec: 240, recording: false }, recording: { status: 'none' } });
    t.regex(z.string().parse(second['started_at']), /-0[45]:00$/);
  },
);

test.serial('applies settings of a number before those of the workspace', async (t) => {
  const { admin, client, numberPath } = await testGateway(t);
  await admin.patch(path, { max_duration_sec: 300 });
  await admin.patch(numberPath, { max_duration_sec: 120 });
  const tooLong = { to: polite, max_duration_sec: 200 };
  t.like((await client.post('/api/v1/calls', tooLong)).body, { maximum: 120 });
  await admin.patch(numberPath, { max_duration_sec: null });
  t.is((await client.post('/api/v1/calls', tooLong)).status, 201);
});

test.serial('limits the active calls of a workspace across all its numbers', async (t) => {
  const { admin, client } = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const made = await admin.post('/api/v1/admin/numbers', { number: '07012345678' });
  const { key } = z
    .object({ key: z.string() })
    .parse((await admin.post(`/api/v1/admin/numbers/${String(made.body['id'])}/key`)).body);
  await admin.patch(path, { max_calls_in_progress: 1 });
  t.is((await client.post('/api/v1/calls', { to: neverAnswers })).status, 201);
  const refused = await client.as(key).post('/api/v1/calls', { to: neverAnswers });
  t.like(refused, { status: 429, body: { code: 'concurrency_limit', maximum: 1 } });
  await admin.patch(path, { max_calls_in_progress: null });
  t.is((await client.as(key).post('/api/v1/calls', { to: neverAnswers })).status, 201);
});

test.serial('a viewer sees charts but has no web phone', async (t) => {
  const { admin, credentials } = await testGateway(t, { GW_INSPECT: '1' });
  const { token } = z
    .object({ token: z.string() })
    .parse((await admin.post('/api/v1/admin/tokens', { name: 'Visitor', role: 'viewer' })).body);
  const statusAt = (place: string, key: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${credentials.base_url.replace('http', 'ws')}${place}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      socket.on('upgrade', ({ statusCode }) => {
        resolve(statusCode ?? 0);
        socket.on('open', () => socket.terminate());
      });
      socket.on('unexpected-response', (request, { statusCode }) => {
        request.destroy();
        resolve(statusCode ?? 0);
      });
      socket.on('error', reject);
    });
  t.is(await statusAt('/api/v1/admin/phone?phone=phone-0001', token), 403);
  t.is(await statusAt('/api/v1/admin/phone?phone=phone-0001', credentials.admin_token), 101);
  t.is(await statusAt('/inspect', token), 101);
  t.is(await statusAt('/inspect', 'nobody'), 401);
});
