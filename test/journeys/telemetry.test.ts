/** Traces, logs and metadata of whole calls: what they contain, and what they must not contain. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type AgentType, agentTypes } from '#src/domain/agent-binding.ts';
import { maskPhoneNumber } from '#src/domain/phone-number.ts';
import { sendBody, sendJson, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import {
  type TestGateway,
  finalStatuses,
  sharedGatewayWithNumbers,
  testGateway,
} from '#test/helpers/gateway.ts';
import { readCsv } from '#test/helpers/read-csv.ts';
import { type CollectedSpan, collectTraces } from '#test/helpers/trace-collector.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

// Traces

const spans = collectTraces();

const remote = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

const bind = async (gateway: Awaited<ReturnType<typeof testGateway>>, url: string) => {
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: `${url}/path-hush?key=query-hush`,
    headers: { 'x-api-key': 'header-hush' },
  });
};

/** Waits for the span: the end of a call may be stored before its span is over. */
const spanOf = (callId: string): Promise<CollectedSpan> =>
  until('the span of the call is over', () =>
    spans.find(({ attributes, isOver }) => isOver && attributes['trunkline.call_id'] === callId),
  );

const under = (parent: CollectedSpan | undefined, name: string): CollectedSpan[] =>
  spans.filter((span) => span.name === name && span.parentId === parent?.spanId);

test.serial("one trace spans the client's request, the gateway and the agent", async (t) => {
  const gateway = await testGateway(t);
  const agent = await startAgentServer(sendReply('Pomegranate.'));
  t.teardown(agent.close);
  await bind(gateway, agent.url);
  const { status, body } = await gateway.client.post(
    '/api/v1/calls',
    { to: '01000000007', instruction: 'Persimmon.' },
    { traceparent: `00-${remote.traceId}-${remote.spanId}-01` },
  );
  t.is(status, 201);
  const callId = z.string().parse(body['call_id']);
  await gateway.untilStatus(callId, ...finalStatuses);
  await spanOf(callId);

  const request = spans.find(({ name }) => name === 'POST /api/v1/calls');
  t.like(request, { traceId: remote.traceId, parentId: remote.spanId, isOver: true });
  t.deepEqual(request?.attributes, {
    'http.route': '/api/v1/calls',
    'http.request.method': 'POST',
    'http.response.status_code': 201,
  });

  const [call, ...otherCalls] = under(request, 'call');
  t.is(otherCalls.length, 0);
  t.like(call, { isOver: true, status: null });
  t.deepEqual(call?.attributes, {
    'trunkline.call_id': callId,
    'trunkline.direction': 'outbound',
    'trunkline.status': 'completed',
    'trunkline.end_reason': 'counterparty_hangup',
  });

  const turns = under(call, 'turn');
  t.true(turns.length >= 1);
  t.is(turns[0]?.attributes['trunkline.turn'], 1);
  // Interrupted where the callee was the first to speak.
  t.regex(String(turns[0]?.attributes['trunkline.outcome']), /^(finished|abandoned)$/);
  t.true(turns.every(({ isOver }) => isOver));

  const asked = turns.flatMap((turn) => under(turn, 'agent request'));
  const known = asked.map(({ spanId }) => `00-${remote.traceId}-${spanId}-01`);
  t.true(agent.requests.length > 0);
  for (const { headers } of agent.requests) t.true(known.includes(String(headers['traceparent'])));
  t.like(asked[0]?.attributes, { 'http.request.method': 'POST', 'server.address': '127.0.0.1' });
});

test.serial('marks spans as failed from the agent up to the call', async (t) => {
  const gateway = await testGateway(t);
  const agent = await startAgentServer([sendReply('Good day.'), sendJson({ wrong: true }, 500)]);
  t.teardown(agent.close);
  await bind(gateway, agent.url);
  const callee = '01077770004';
  // The callee waits for each sentence of the agent, so that no answer arrives too late.
  const script = [
    { listen: true },
    { say: 'Zucchini?' },
    { listen: true },
    { say: 'Zucchini!' },
    { listen: true },
  ];
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, { script });
  const callId = await gateway.call(callee);
  await gateway.untilStatus(callId, ...finalStatuses);
  const call = await spanOf(callId);
  t.like(call, { status: { message: 'agent_error' } });
  const [first, ...failed] = under(call, 'turn');
  t.like(first, { isOver: true, status: null });
  t.is(failed.length, 2);
  for (const turn of failed) {
    t.like(turn, { isOver: true, status: { message: 'http_error' } });
    t.truthy(under(turn, 'agent request')[0]?.status);
  }
});

test.serial('records a trace of an inbound call', async (t) => {
  const gateway = await testGateway(t);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01098765432',
    script: [{ say: 'Zucchini.' }, { listen: true }, { hang_up: true }],
  });
  const callId = z.string().parse(body['call_id']);
  await gateway.untilStatus(callId, ...finalStatuses);
  t.true(under(await spanOf(callId), 'turn').length >= 1);
});

test.serial('spans contain no number, word, address or key', (t) => {
  t.true(spans.length > 10);
  const told = JSON.stringify(spans);
  t.notRegex(told, /hush|pomegranate|persimmon|zucchini|gw_live_|gw_admin_|07000000000|0100000000|98765432/i);
});

// Metadata

const metadata = { quokka_id: 'wombat-1042', 'numbat.note': 'A "bandicoot", for Kim' };

/** Words that are metadata of the call, and occur nowhere else. */
const metadataWords = /quokka|wombat|numbat|bandicoot/i;

const sharing = sharedGatewayWithNumbers();

const isUntold = test.macro<[AgentType]>({
  async exec(t, agentType) {
    const gateway = await sharing(t);
    const agent = await startFakeAgent(agentType, () => ({ pieces: ['네, ', '알겠습니다.'] }));
    t.teardown(agent.close);
    const bound = await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, {
      ...agent.binding,
      token: 'agent-token',
    });
    t.is(bound.status, 200);
    await gateway.admin.post('/api/v1/admin/trunks', {
      name: 'carrier',
      host: 'sip.example.com',
      headers_out: ['X-Quokka'],
    });
    const { body } = await gateway.client.post('/api/v1/calls', {
      to: '01000000007',
      metadata,
      sip_headers: { 'X-Quokka': 'wombat' },
    });
    const callId = z.string().parse(body['call_id']);
    t.deepEqual((await gateway.untilStatus(callId, ...finalStatuses))['metadata'], metadata);
    t.true(agent.turns.length > 0);
    for (const { path, headers, body: sent } of agent.requests)
      t.notRegex(JSON.stringify([path, headers, sent]), metadataWords);
  },
  title: (_, agentType) =>
    `sends an agent of the kind ${agentType} neither metadata nor headers of the INVITE`,
});
for (const agentType of agentTypes) test.serial(isUntold, agentType);

const toldEvent = z.object({ type: z.string(), call: z.looseObject({ id: z.string() }) });

test.serial(
  'writes metadata into every event and record of the call, but into no log line or trace',
  async (t) => {
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const gateway = await testGateway(t);
    const { client, admin } = gateway;
    const { body: webhook } = await admin.post('/api/v1/admin/webhooks', { url: receiver.url });
    receiver.trust(z.string().parse(webhook['secret']));
    const place = async (more: object): Promise<string> => {
      const { body } = await client.post('/api/v1/calls', { to: '01000000007', ...more });
      const callId = z.string().parse(body['call_id']);
      await gateway.untilStatus(callId, ...finalStatuses);
      return callId;
    };
    const said = await place({ metadata });
    const silent = await place({});
    await client.get('/api/v1/calls?metadata.quokka_id=wombat-1042');
    await client.get('/api/v1/calls?metadata.quokka%20id=wombat-1042');

    const events = await until('the last events of both have arrived', () => {
      const arrived = receiver.received.map(({ rawBody }) => toldEvent.parse(JSON.parse(rawBody)));
      const has = (id: string, type: string) =>
        arrived.some((one) => one.call.id === id && one.type === type);
      const isAllThere = [said, silent].every(
        (id) => has(id, 'call.ended') && has(id, 'call.summarized') && has(id, 'recording.completed'),
      );
      return isAllThere ? arrived : undefined;
    });
    for (const { type, call } of events) {
      if (call.id === said) t.deepEqual(call['metadata'], metadata, type);
      else t.false('metadata' in call, type);
    }

    const records = await admin.get('/api/v1/admin/call-records');
    const [names = [], ...rows] = readCsv(records.bytes.toString());
    const column = names.indexOf('metadata');
    const cells = [names[column], ...rows.map((row) => row[column])];
    t.is(cells[0], 'metadata');
    t.deepEqual(JSON.parse(cells[1] ?? ''), metadata);
    t.is(cells[2], '');
    const lines = (await admin.get('/api/v1/admin/call-records?format=jsonl')).bytes.toString().trim();
    const [first, second] = lines.split('\n').map((line) => z.looseObject({}).parse(JSON.parse(line)));
    t.deepEqual(first?.['metadata'], metadata);
    t.false('metadata' in (second ?? {}));

    t.notRegex(gateway.logged.join(''), metadataWords);
    t.true(spans.some(({ attributes }) => attributes['trunkline.call_id'] === said));
    t.notRegex(JSON.stringify(spans), metadataWords);
  },
);

// Logs

const entry = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().min(1),
  call_id: z.uuid().optional(),
});

/** Facts without a call. Facts about the database appear when the machine is so busy that it responds late. */
const callless =
  /^http request$|^no synthesizer is installed|^the event loop was blocked|the database|could not be (read|noted|counted|looked for|deleted|cleared away)|^a client disconnected/;

/** Finds a number in every notation: domestic, international, with hyphens, spaces, dots or brackets. */
const anyFormOf = (number: string): RegExp =>
  new RegExp(number.replace(/^0/, '').replaceAll(/\d/g, '[-. ()]*$&'));

const ownNumber = '07000000000';
const caller = '01098765432';
const stranger = '0316543210';
const politeCallee = '01000000001';
const patientCallee = '01077770003';

/** English words that are spoken or sent here and occur nowhere else. */
const words = /pomegranate|persimmon|zucchini|quince|tangerine/i;
const anyKorean = /\p{Script=Hangul}/u;

/** Parts of requests, responses and addresses. */
const givenSecrets = [
  'agent-hush',
  'session-hush',
  'url-hush',
  'wrong-hush',
  'idempotency-hush',
  'header-hush',
];

/** The address of a stopped server. */
const closedUrl = async (): Promise<string> => {
  const server = await startAgentServer(sendReply(''));
  await server.close();
  return `${server.url}/url-hush?key=url-hush`;
};

const bindAgent = (gateway: TestGateway, direction: 'inbound' | 'outbound', url: string) =>
  gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: url,
    ...(direction === 'outbound' ? { token: 'agent-hush' } : {}),
    headers: { 'x-api-key': 'header-hush' },
  });

const callIn = async (gateway: TestGateway, script: readonly object[]): Promise<string> => {
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: ownNumber,
    from: caller,
    script,
  });
  return z.uuid().parse(body['call_id']);
};

test.serial('the search for telephone numbers in logs finds all notations', (t) => {
  for (const form of [
    '01098765432',
    '+821098765432',
    '010-9876-5432',
    '+82 10 9876 5432',
    '010.9876.5432',
    '(10)98765432',
  ]) {
    t.regex(`{"to":"${form}"}`, anyFormOf(caller), form);
  }
  t.notRegex(maskPhoneNumber(caller), anyFormOf(caller));
  t.notRegex('2026-11-21T09:50:02.328Z 01012345678', anyFormOf(caller));
});

/** A gateway, the data that it must not log, and its calls. */
const startStory = async (t: ExecutionContext) => {
  const gateway = await testGateway(t);
  const { number_key: numberKey, admin_token: adminToken } = gateway.credentials;
  const calls: string[] = [];
  return {
    gateway,
    secrets: [...givenSecrets, numberKey, adminToken],
    calls,
    over: async (callId: string): Promise<void> => {
      calls.push(callId);
      await gateway.untilStatus(callId, ...finalStatuses);
    },
  };
};

type Story = Awaited<ReturnType<typeof startStory>>;

/** A receiver of events that never accepts one, and one that responds with 410. */
const refuseEvents = async (t: ExecutionContext, { gateway: { admin }, secrets }: Story) => {
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const endpoint = await admin.post('/api/v1/admin/webhooks', {
    url: `${receiver.url}?key=url-hush`,
    events: null,
  });
  secrets.push(z.string().parse(endpoint.body['secret']));
  const absent = await admin.post('/api/v1/admin/webhooks', {
    url: await closedUrl(),
    events: ['call.ended'],
  });
  secrets.push(z.string().parse(absent.body['secret']));
  return receiver;
};

const callOut = async (t: ExecutionContext, { gateway, over }: Story) => {
  // The built-in agent, with an instruction; events are rejected
  await over(
    await gateway.call(politeCallee, `Ask ${stranger} about the pomegranate, 그리고 예약도 확인해 주세요`),
  );

  // An agent that replies, then fails, each time with confidential words
  const agent = await startAgentServer([
    sendReply(`Here is the persimmon desk of ${stranger}.`),
    sendJson({ error: 'zucchini', to: stranger, key: 'header-hush' }, 500),
    sendBody(`{"reply": "zucchini for ${stranger}`),
  ]);
  t.teardown(agent.close);
  await bindAgent(gateway, 'outbound', `${agent.url}/?key=url-hush`);
  // Waits for each sentence of the agent, so that the number of requests does not depend on who speaks first.
  const patient = [
    { listen: true },
    { say: 'tangerine' },
    { listen: true },
    { say: 'tangerine' },
    { listen: true },
  ];
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${patientCallee}`, { script: patient });
  await over(await gateway.call(patientCallee, 'Speak of the pomegranate'));
  await bindAgent(gateway, 'outbound', await closedUrl());
  await over(await gateway.call(politeCallee));
  return agent;
};

/** Callers: one who is admitted and talks, one rejected by the handshake, one without an agent. */
const receiveCalls = async (t: ExecutionContext, { gateway, secrets, over }: Story) => {
  const { admin, numberPath } = gateway;
  const door = await startAgentServer([
    sendJson({ session_token: 'session-hush' }),
    sendJson({ reason: `quince from ${caller}` }, 403),
    sendBody('quince'),
  ]);
  t.teardown(door.close);
  const auth = await admin.put(`${numberPath}/inbound-auth`, {
    method: 'handshake',
    url: `${door.url}/?key=url-hush`,
  });
  secrets.push(z.string().parse(auth.body['secret']));
  await over(
    await callIn(gateway, [
      { say: `A tangerine for ${stranger}` },
      { digits: '9876#' },
      { listen: true },
      { hang_up: true },
    ]),
  );
  await over(await callIn(gateway, [{ say: 'tangerine' }]));
  await over(await callIn(gateway, [{ say: 'tangerine' }]));
  await admin.put(`${numberPath}/agents/inbound`, { agent: 'endpoint' });
  await admin.put(`${numberPath}/inbound-auth`, { method: 'none' });
  await over(await callIn(gateway, [{ say: 'tangerine' }]));
  return door;
};

/** Rejected requests, and some that hold numbers in their path or reveal a key. */
const askInVain = async (t: ExecutionContext, { gateway, over }: Story) => {
  const { client, admin, credentials, numberPath } = gateway;
  await client.send('POST', '/api/v1/calls', { raw: `{"to": "${caller}", "instruction": "pomegranate` });
  await client.post('/api/v1/calls', { to: `+82${caller.slice(1)}`, instruction: 'pomegranate' });
  await client.as('gw_live_wrong-hush').post('/api/v1/calls', { to: caller });
  await client
    .post('/api/v1/calls', { to: '01000000003' }, { 'Idempotency-Key': 'idempotency-hush' })
    .then(({ body }) => over(z.uuid().parse(body['call_id'])));
  await client.get(`/api/v1/calls/${caller}?key=url-hush`);
  await client.get(`/${caller}/url-hush`);
  await admin.put(`/api/v1/admin/simulator/callees/${stranger}`, { script: [{ say: 'tangerine' }] });
  await over(await gateway.call(stranger));
  t.is((await admin.get(`${numberPath}/key`)).body['key'], credentials.number_key);
};

test.serial('logs the events of each call without spoken words, numbers and secrets', async (t) => {
  const story = await startStory(t);
  const { gateway, secrets, calls } = story;
  const { logged } = gateway;
  const receiver = await refuseEvents(t, story);
  const agent = await callOut(t, story);
  const door = await receiveCalls(t, story);
  await askInVain(t, story);

  const entries = await until(
    'every call has its end, every event its attempt, and a recording is complete',
    () => {
      const all = logged.map((line) => entry.parse(JSON.parse(line)));
      const of = (msg: string) => new Set(all.filter((one) => one.msg === msg).map(({ call_id }) => call_id));
      const ended = of('a call ended');
      const tried = of('event not delivered, a retry follows');
      const isAllThere = calls.every((id) => ended.has(id) && tried.has(id));
      return isAllThere && of('a recording is complete').size > 0 ? all : undefined;
    },
  );

  // Each fact is logged on one line.
  for (const line of logged) t.regex(line, /^\{[^\n]*\}\n$/);
  const timesOf = (callId: string, ...messages: string[]): number =>
    entries.filter(({ call_id, msg }) => call_id === callId && messages.includes(msg)).length;
  for (const callId of calls) {
    t.is(timesOf(callId, 'a call ended'), 1);
    t.is(timesOf(callId, 'a call begins', 'rejected an inbound call'), 1);
    t.true(timesOf(callId, 'a recording is complete') <= 1);
  }

  // Every log line about a call has its id
  const withoutCall = entries.filter(({ call_id, msg }) => call_id === undefined && !callless.test(msg));
  t.deepEqual(withoutCall, []);
  t.deepEqual(
    entries.filter(({ call_id }) => call_id !== undefined && !calls.includes(call_id)),
    [],
  );

  // Checks that the searched data was present
  const seen = new Set(entries.map(({ msg }) => msg));
  for (const expected of ['a reply failed', 'the handshake rejected a caller', 'a recording is complete']) {
    t.true(seen.has(expected), expected);
  }
  t.is(agent.requests.length, 3);
  t.like(agent.requests[0]?.headers, { authorization: 'Bearer agent-hush', 'x-api-key': 'header-hush' });
  t.is(door.requests.length, 3);
  t.true(receiver.received.length >= calls.length);
  const said = await Promise.all(calls.map((callId) => gateway.transcript(callId)));
  const all = said
    .flat()
    .map(({ text }) => text)
    .join('\n');
  for (const spoken of [/pomegranate/, /persimmon/, /tangerine/, anyKorean]) t.regex(all, spoken);

  // No forbidden data
  const numbers = [ownNumber, caller, stranger, politeCallee, patientCallee, '01000000003'].map(anyFormOf);
  for (const line of logged) {
    for (const secret of secrets) t.false(line.includes(secret), line);
    t.notRegex(line, /gw_live_|gw_admin_|whsec_|Bearer/);
    t.notRegex(line, words);
    t.notRegex(line, anyKorean);
    for (const number of numbers) t.notRegex(line, number);
  }
});
