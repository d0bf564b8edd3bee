/**
 * A gateway's log while calls go well and badly: one line a fact, each with its call, and nothing that a log must not
 * hold. The log is read as it is before the logger hides anything by name, so that nothing leans on that.
 */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { maskPhoneNumber } from '#src/domain/phone-number.ts';
import { sendBody, sendJson, sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const entry = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().min(1),
  call_id: z.uuid().optional(),
});

/** Facts that belong to no call. Those about the database appear when the machine is so busy that it answers late. */
const callless =
  /^http request$|^no synthesizer is installed|^the event loop stood still|the database|could not be (read|noted|counted|looked for|deleted|cleared away)|^a caller went away/;

/** Finds a number in every form: domestic, international, with hyphens, spaces, dots or brackets. */
const anyFormOf = (number: string): RegExp =>
  new RegExp(number.replace(/^0/, '').replaceAll(/\d/g, '[-. ()]*$&'));

const ownNumber = '07000000000';
const caller = '01098765432';
const stranger = '0316543210';
const callee = '01000000001';
const patientCallee = '01077770003';

/** English words that are said, asked for or answered here and nowhere else. */
const words = /pomegranate|persimmon|zucchini|quince|tangerine/i;
const anyKorean = /\p{Script=Hangul}/u;

/** Of requests, answers and addresses. */
const givenSecrets = ['agent-hush', 'session-hush', 'url-hush', 'wrong-hush', 'idempotency-hush'];

/** Of a server that is gone. */
const closedUrl = async (): Promise<string> => {
  const server = await startAgentServer(sendReply(''));
  await server.close();
  return `${server.url}/url-hush?key=url-hush`;
};

const bind = (gateway: TestGateway, direction: 'inbound' | 'outbound', url: string) =>
  gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: url,
    token: 'agent-hush',
  });

const callIn = async (gateway: TestGateway, script: readonly object[]): Promise<string> => {
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: ownNumber,
    from: caller,
    script,
  });
  return z.uuid().parse(body['call_id']);
};

test('the finder of numbers knows their forms', (t) => {
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

/** A gateway, what it must not tell, and the calls that it has had. */
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

/** A receiver of events that never takes one, and one that is gone. */
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
  // The built-in agent, with an instruction; events are refused
  await over(
    await gateway.call(callee, `Ask ${stranger} about the pomegranate, 그리고 예약도 확인해 주세요`),
  );

  // An agent that answers, then fails, each time with words that are nobody's business
  const agent = await startAgentServer([
    sendReply(`Here is the persimmon desk of ${stranger}.`),
    sendJson({ error: 'zucchini', to: stranger }, 500),
    sendBody(`{"reply": "zucchini for ${stranger}`),
  ]);
  t.teardown(agent.close);
  await bind(gateway, 'outbound', `${agent.url}/?key=url-hush`);
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
  await bind(gateway, 'outbound', await closedUrl());
  await over(await gateway.call(callee));
  return agent;
};

/** Callers: one who is let in and talks, one whom the handshake turns away, one with nobody to talk to. */
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

/** Requests that are refused, and some that hold numbers in their path or reveal a key. */
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

test('a log tells what happened to each call, and nothing that was said, dialled or kept secret', async (t) => {
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
      const tried = of('event not delivered, to be tried again');
      const isAllThere = calls.every((id) => ended.has(id) && tried.has(id));
      return isAllThere && of('a recording is complete').size > 0 ? all : undefined;
    },
  );

  // One line a fact
  for (const line of logged) t.regex(line, /^\{[^\n]*\}\n$/);
  const timesOf = (callId: string, ...messages: string[]): number =>
    entries.filter(({ call_id, msg }) => call_id === callId && messages.includes(msg)).length;
  for (const callId of calls) {
    t.is(timesOf(callId, 'a call ended'), 1);
    t.is(timesOf(callId, 'a call begins', 'an inbound call was not taken'), 1);
    t.true(timesOf(callId, 'a recording is complete') <= 1);
  }

  // Every line about a call has its call
  const withoutCall = entries.filter(({ call_id, msg }) => call_id === undefined && !callless.test(msg));
  t.deepEqual(withoutCall, []);
  t.deepEqual(
    entries.filter(({ call_id }) => call_id !== undefined && !calls.includes(call_id)),
    [],
  );

  // What was to be seen was there to be seen
  const seen = new Set(entries.map(({ msg }) => msg));
  for (const expected of ['a reply failed', 'the handshake rejected a caller', 'a recording is complete']) {
    t.true(seen.has(expected), expected);
  }
  t.is(agent.requests.length, 3);
  t.is(agent.requests[0]?.headers.authorization, 'Bearer agent-hush');
  t.is(door.requests.length, 3);
  t.true(receiver.received.length >= calls.length);
  const said = await Promise.all(calls.map((callId) => gateway.transcript(callId)));
  const all = said
    .flat()
    .map(({ text }) => text)
    .join('\n');
  for (const spoken of [/pomegranate/, /persimmon/, /tangerine/, anyKorean]) t.regex(all, spoken);

  // Nothing that a log must not hold
  const numbers = [ownNumber, caller, stranger, callee, patientCallee, '01000000003'].map(anyFormOf);
  for (const line of logged) {
    for (const secret of secrets) t.false(line.includes(secret), line);
    t.notRegex(line, /gw_live_|gw_admin_|whsec_|Bearer/);
    t.notRegex(line, words);
    t.notRegex(line, anyKorean);
    for (const number of numbers) t.notRegex(line, number);
  }
});
