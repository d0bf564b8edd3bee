/** Clients of a whole gateway: the package, MCP, events, and requests of operators. */
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type Call, type CallNews, TrunklineProblem, createClient, pagesOf } from '#src/client/client.ts';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import {
  type TestGateway,
  finalStatuses,
  sharedGatewayWithNumbers,
  testGateway,
} from '#test/helpers/gateway.ts';
import { noServer } from '#test/helpers/no-server.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

/** The gateway of the tests that read nothing but the calls of a number. */
const sharing = sharedGatewayWithNumbers();

// The client package

const hoursOfTheDesk = 'We are open from nine to five.';

test.serial('a client program gets a number, connects its agent, calls, listens and hangs up', async (t) => {
  const gateway = await testGateway(t, { GW_RECORDINGS_FORMAT: 'ogg' });
  const { base_url: baseUrl, admin_token: adminToken } = gateway.credentials;
  const agent = await startAgentServer(sendReply(hoursOfTheDesk));
  t.teardown(agent.close);

  const admin = createClient({ baseUrl, key: adminToken });
  const number = await admin.createNumber({ body: { number: '070-9000-0001', language: 'en' } });
  t.is(number.number, '07090000001');
  const binding = await admin.putAgent({
    id: number.id,
    direction: 'outbound',
    body: { agent: 'endpoint', agent_type: 'webhook', chat_url: agent.url, token: 'secret' },
  });
  t.like(binding, { agent_type: 'webhook', token_configured: true });
  const { key } = await admin.issueKey({ id: number.id });

  const client = createClient({ baseUrl, key });
  const request = { body: { to: '010-0000-0001' }, 'idempotency-key': 'first-call' };
  const placed = await client.createCall(request);
  t.is(placed.from, number.number);
  t.deepEqual(await client.createCall(request), placed, 'a repeated request places no second call');
  const { call_id: callId } = placed;

  const news: CallNews[] = [];
  const isUserTurn = (one: CallNews): boolean =>
    one.type === 'fact' && one.event.type === 'turn.spoken' && one.event.data['role'] === 'user';
  for await (const one of client.watchCall({ call_id: callId })) {
    const isFirstUserTurn = isUserTurn(one) && !news.some(isUserTurn);
    news.push(one);
    // The other party may speak again before the call has ended.
    if (isFirstUserTurn) {
      const asked = await client.hangUp({ call_id: callId, body: { immediate: true } });
      t.deepEqual(asked, { call_id: callId, status: 'hangup_requested' });
    }
  }
  const facts = news.flatMap((one) => (one.type === 'fact' ? [one.event] : []));
  t.deepEqual(
    facts.map(({ sequence }) => sequence),
    facts.map((_, index) => index + 1),
  );
  for (const type of ['call.answered', 'call.ended', 'recording.completed', 'call.summarized'])
    t.true(
      facts.some((fact) => fact.type === type),
      type,
    );
  t.true(news.some((one) => one.type === 'state' && one.state.call.startsWith('active')));

  const call = await client.getCall({ call_id: callId });
  t.like(call, { status: 'completed', end_reason: 'agent_hangup', to: '01000000001' });
  const { transcript } = await client.getTranscript({ call_id: callId });
  t.true(transcript.some(({ role, text }) => role === 'assistant' && text === hoursOfTheDesk));

  const recording = await client.getRecording({ call_id: callId });
  t.is(recording.headers.get('content-type'), call.recording.content_type ?? '');
  const sound = await recording.bytes();
  t.true(sound.length > 1_000);
  const beginning = await client.getRecording({ call_id: callId, range: 'bytes=0-3' });
  t.is(beginning.status, 206);
  t.deepEqual(await beginning.bytes(), sound.slice(0, 4));
});

test.serial(
  'a client program reads all its calls, page by page, and the reason of a rejection',
  async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
    const {
      base_url: baseUrl,
      number_key: key,
      admin_token: adminToken,
      number_id: id,
    } = gateway.credentials;
    const client = createClient({ baseUrl, key });
    const placed: string[] = [];
    for (const to of ['01000000002', '01000000002', '01000000003'])
      placed.push((await client.createCall({ body: { to } })).call_id);
    const [first = ''] = placed;
    await client.cancelCall({ call_id: first });
    await until('the call is over', async () =>
      (await client.getCall({ call_id: first })).end_reason === 'cancelled' ? true : undefined,
    );

    const listed: string[] = [];
    for await (const { calls } of pagesOf(client.listCalls, { limit: 1 }))
      listed.push(...calls.map(({ id }) => id));
    t.deepEqual(listed, placed.toReversed());
    const admin = createClient({ baseUrl, key: adminToken });
    await admin.updateNumber({ id, body: { max_duration_sec: 900 } });
    const { calls } = await admin.listWorkspaceCalls({ direction: 'outbound' });
    t.deepEqual(
      calls.map(({ id }) => id),
      listed,
    );

    const refused = async (asked: Promise<unknown>) => t.throwsAsync(asked, { instanceOf: TrunklineProblem });
    t.like(await refused(client.createCall({ body: { to: '+82 10 0000 0001' } })), {
      status: 400,
      code: 'invalid_to',
    });
    t.like(await refused(client.createCall({ body: { to: '01000000001', max_duration_sec: 1_700 } })), {
      code: 'max_duration_exceeds_policy',
      maximum: 900,
    });
    t.like(await refused(client.listCalls({ limit: 0 })), {
      code: 'invalid_request',
      errors: [{ path: 'limit' }],
    });
    t.like(await refused(client.getRecording({ call_id: first })), {
      status: 409,
      code: 'recording_not_available',
      reason: 'none',
    });
    const unknown: Call['id'] = '00000000-0000-4000-8000-000000000000';
    const notFound = await refused(client.getCall({ call_id: unknown }));
    t.like(notFound, { status: 404, code: 'call_not_found' });
    t.regex(notFound?.requestId ?? '', /\S/);
    t.like(await refused(client.watchCall({ call_id: unknown }).next()), { code: 'call_not_found' });
    t.like(await refused(client.listNumbers()), { status: 401, code: 'unauthorized' });
  },
);

test.serial('a client that stops reading a stream closes it and may open another', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  const client = createClient({ baseUrl, key });
  const { call_id: callId } = await client.createCall({ body: { to: '01000000002' } });
  for (let count = 0; count < 22; count += 1) {
    for await (const one of client.watchCall({ call_id: callId })) {
      t.truthy(one.type);
      break;
    }
  }
  const leaving = new AbortController();
  const watching = client.watchCall({ call_id: callId }, { signal: leaving.signal });
  await watching.next();
  leaving.abort();
  const rest = async () => {
    for await (const one of watching) t.truthy(one.type);
  };
  await t.throwsAsync(rest, { name: 'AbortError' });
});

// MCP

const root = fileURLToPath(new URL('../..', import.meta.url));
const polite = '01000000001';
const neverAnswers = '01000000002';

const overHttp = (
  { credentials }: TestGateway,
  key = credentials.number_key,
): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL('/mcp', credentials.base_url), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });

const overStdio = ({ credentials }: TestGateway, key?: string): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: ['src/commands/mcp.ts'],
    cwd: root,
    env: {
      GW_DATA_DIR: dirname(credentials.file),
      // Without compiled modules each of these processes would compile them again.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ...(key === undefined ? {} : { NUMBER_KEY: key }),
    },
  });

const transports = { overHttp, overStdio };

/** Long time-outs, because a busy machine responds late. */
const patient = { timeout: 600_000 };

const problem = z.looseObject({ code: z.string(), detail: z.string(), status: z.number().optional() });

/** An agent that uses the tools of a gateway for the calls of its number. */
const using = async (t: ExecutionContext, transport: Transport) => {
  const client = new Client({ name: 'an agent', version: '1' });
  t.teardown(() => client.close());
  await client.connect(transport, patient);
  /** Calls a tool; the client checks the result against the tool's declaration. */
  const use = async (name: string, given: Record<string, unknown>, onprogress?: (told: string) => void) =>
    CallToolResultSchema.parse(
      await client.callTool(
        { name, arguments: given },
        undefined,
        onprogress === undefined
          ? patient
          : { ...patient, onprogress: ({ message }) => onprogress(message ?? '') },
      ),
    );
  return {
    client,
    async ask(name: string, given: Record<string, unknown>, onprogress?: (told: string) => void) {
      const { isError, structuredContent, content } = await use(name, given, onprogress);
      t.not(isError, true, JSON.stringify(content));
      return z.record(z.string(), z.unknown()).parse(structuredContent);
    },
    async refusal(name: string, given: Record<string, unknown>) {
      const { isError, content } = await use(name, given);
      t.true(isError);
      const [told] = z.array(z.object({ text: z.string() })).parse(content);
      return problem.parse(JSON.parse(told?.text ?? ''));
    },
  };
};

type User = Awaited<ReturnType<typeof using>>;

const untilEnded = async ({ ask }: User, callId: unknown, onprogress?: (told: string) => void) =>
  until('the call has ended', async () => {
    const waited = await ask('wait_for_call', { call_id: callId, timeout_sec: 50 }, onprogress);
    return waited['ended'] === true ? z.record(z.string(), z.unknown()).parse(waited['call']) : undefined;
  });

/** A call in which the agent keeps talking until it is hung up. */
const talking = async (t: ExecutionContext, gateway: TestGateway): Promise<string> => {
  const agent = await startFakeAgent('webhook', () => ({ pieces: ['네, 알겠습니다.'] }));
  t.teardown(agent.close);
  const bound = { ...agent.binding, token: 'agent-token' };
  t.is((await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, bound)).status, 200);
  const callId = await gateway.call(polite);
  await until('a reply is asked for', () => agent.turns[0]);
  return callId;
};

for (const [name, connect] of Object.entries(transports)) {
  test.serial(`${name}: places a call, waits for it and reads it`, async (t) => {
    const gateway = await sharing(t);
    const user = await using(t, connect(gateway, gateway.credentials.number_key));
    const placed = await user.ask('place_call', { to: polite, instruction: 'Confirm the table' });
    t.is(placed['from'], gateway.credentials.number);
    const callId = z.string().parse(placed['call_id']);
    const progress: string[] = [];
    const call = await untilEnded(user, callId, (told) => progress.push(told));
    t.like(call, { status: 'completed', end_reason: 'agent_hangup', to: polite });
    t.true(progress.includes('call.answered'), progress.join());
    const read = await user.ask('get_transcript', { call_id: callId });
    const turns = z.array(z.object({ role: z.string(), text: z.string() })).parse(read['transcript']);
    t.deepEqual(
      turns.map(({ text }) => text),
      (await gateway.transcript(callId)).map(({ text }) => text),
    );
    for (const { role, text } of turns) t.true(progress.includes(`${role}: ${text}`), text);
    const { calls } = await user.ask('list_calls', { limit: 1, status: 'completed' });
    t.is(z.array(z.looseObject({ id: z.string() })).parse(calls)[0]?.id, callId);
    t.like(await user.ask('get_call', { call_id: callId }), { end_reason: 'agent_hangup' });
  });

  test.serial(`${name}: transfers a call only to permitted numbers, and hangs up`, async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
    const user = await using(t, connect(gateway));
    const callId = await talking(t, gateway);
    const refused = await user.refusal('transfer_call', { call_id: callId, to: '0212345678' });
    t.like(refused, { status: 403, code: 'transfer_not_allowed' });
    const hungUp = await user.ask('hang_up', { call_id: callId, immediate: true });
    t.is(hungUp['status'], 'hangup_requested');
    t.is((await untilEnded(user, callId))['end_reason'], 'agent_hangup');
    t.is((await user.refusal('hang_up', { call_id: callId })).code, 'call_not_active');
  });

  test.serial(`${name}: cancels a ringing call`, async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
    const user = await using(t, connect(gateway));
    const { call_id: callId } = await user.ask('place_call', { to: neverAnswers });
    const waited = await user.ask('wait_for_call', { call_id: callId, timeout_sec: 1 });
    t.like(waited, { ended: false, call: { status: 'ringing' } });
    t.is((await user.ask('hang_up', { call_id: callId }))['status'], 'cancel_requested');
    t.like(await untilEnded(user, callId), { status: 'no_answer', end_reason: 'cancelled' });
  });
}

const silent = '01000000006';

test.serial('ends the wait of an MCP client over HTTP that cancels it', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const callId = await gateway.call(silent);
  await gateway.untilStatus(callId, 'active');
  const { base_url: url, number_key: key } = gateway.credentials;
  const answers: { session: string | null; text: Promise<string> }[] = [];
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    async fetch(address, init) {
      const response = await fetch(address, init);
      const session = new Headers(init?.headers).get('mcp-session-id');
      if (typeof init?.body === 'string' && init.body.includes('wait_for_call'))
        answers.push({ session, text: response.clone().text() });
      return response;
    },
  });
  const { client } = await using(t, transport);
  const cancelling = new AbortController();
  // The progress is an event of the past, which is sent at once.
  const waiting = client.callTool(
    { name: 'wait_for_call', arguments: { call_id: callId, timeout_sec: 50 } },
    undefined,
    { ...patient, signal: cancelling.signal, onprogress: () => undefined },
  );
  const failed = t.throwsAsync(waiting);
  const { session, text } = await until('the wait has begun', () => answers[0]);
  cancelling.abort();
  await failed;
  t.truthy(session);
  t.notRegex(await text, /"result"/, 'the response of a wait that timed out has a result');
});

test.serial('frees the stream of an MCP client that closes the request of its wait', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
  const callId = await gateway.call(silent);
  await gateway.untilStatus(callId, 'active');
  const { base_url: url, number_key: key } = gateway.credentials;
  const closing = new AbortController();
  const wait = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'wait_for_call',
        arguments: { call_id: callId, timeout_sec: 50 },
        _meta: { progressToken: 1 },
      },
    }),
    signal: closing.signal,
  });
  t.is(wait.status, 200);
  const open = async () => {
    const stream = await openEventStream(`${url}/api/v1/calls/${callId}/events`, key);
    t.teardown(stream.close);
    return stream.status;
  };
  let opened = 0;
  while ((await open()) === 200) opened += 1;
  closing.abort();
  // The wait itself would end after 50 seconds.
  await until(
    'one more stream can be opened',
    async () => ((await open()) === 200 ? true : undefined),
    30_000,
  );
  t.is(opened, 19);
});

test.serial('returns rejections of the API unchanged through MCP', async (t) => {
  const gateway = await sharing(t);
  const { admin } = gateway;
  const made = await admin.post('/api/v1/admin/numbers', { number: '07012345678' });
  const issued = await admin.post(`/api/v1/admin/numbers/${String(made.body['id'])}/key`);
  const other = gateway.client.as(z.string().parse(issued.body['key']));
  const { body } = await other.post('/api/v1/calls', { to: polite });
  for (const connect of Object.values(transports)) {
    const { refusal } = await using(t, connect(gateway, gateway.credentials.number_key));
    for (const tool of ['get_call', 'get_transcript', 'hang_up', 'wait_for_call'])
      t.like(await refusal(tool, { call_id: body['call_id'] }), { status: 404, code: 'call_not_found' });
    t.is((await refusal('place_call', { to: '+821012345678' })).code, 'invalid_to');
    const tooShort = await refusal('place_call', { to: polite, max_duration_sec: 5 });
    t.is(tooShort.code, 'invalid_max_duration_sec');
    const missing = await refusal('get_call', {});
    t.like(missing, { code: 'invalid_request', errors: [{ path: 'call_id', message: 'This is required.' }] });
    t.is((await refusal('list_calls', { limit: 1_000 })).code, 'invalid_request');
  }
});

test.serial('places one call for one idempotency key, through any interface', async (t) => {
  const gateway = await sharing(t);
  const keys = ['monday', 'a b', String.raw`"a\b"`, '예약-42'];
  const placed = new Map<string, Set<unknown>>(keys.map((key) => [key, new Set()]));
  for (const connect of Object.values(transports)) {
    const { ask, refusal } = await using(t, connect(gateway, gateway.credentials.number_key));
    for (const [key, calls] of placed) {
      const given = { to: polite, idempotency_key: key };
      for (let times = 0; times < 2; times += 1) calls.add((await ask('place_call', given))['call_id']);
      const again = await refusal('place_call', { ...given, to: neverAnswers });
      t.is(again.code, 'idempotency_key_reused');
    }
    for (const key of ['', '예'.repeat(256), 42])
      t.is((await refusal('place_call', { to: polite, idempotency_key: key })).code, 'invalid_request');
  }
  for (const key of ['monday', '"a b"']) {
    const { body } = await gateway.client.post('/api/v1/calls', { to: polite }, { 'Idempotency-Key': key });
    placed.get(key.replaceAll('"', ''))?.add(body['call_id']);
  }
  t.deepEqual(
    [...placed.values()].map(({ size }) => size),
    [1, 1, 1, 1],
  );
  t.is(new Set([...placed.values()].flatMap((calls) => [...calls])).size, keys.length);
});

test.serial('describes cost and effect of each MCP tool', async (t) => {
  const gateway = await sharing(t);
  for (const connect of Object.values(transports)) {
    const { client } = await using(t, connect(gateway, gateway.credentials.number_key));
    const { tools } = await client.listTools({}, patient);
    t.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['place_call', false],
        ['wait_for_call', true],
        ['get_call', true],
        ['get_transcript', true],
        ['list_calls', true],
        ['hang_up', false],
        ['transfer_call', false],
      ],
    );
    for (const { name, description = '', annotations = {}, inputSchema, outputSchema } of tools) {
      t.regex(description, /\bcosts?\b|free of charge/i, name);
      const hints = ['destructiveHint', 'idempotentHint', 'openWorldHint'];
      t.true(
        hints.every((hint) => hint in annotations),
        name,
      );
      t.true(Object.keys(inputSchema.properties ?? {}).length > 0 && outputSchema !== undefined, name);
    }
    t.regex(tools[0]?.description ?? '', /may be recorded.*consent/s);
  }
});

test.serial('rejects a wrong key on MCP over HTTP', async (t) => {
  const gateway = await sharing(t);
  const client = new Client({ name: 'an agent', version: '1' });
  const error = await t.throwsAsync(client.connect(overHttp(gateway, 'gw_live_wrong'), patient));
  t.regex(error.message, /unauthorized/);
});

test.serial('reports a wrong key or an unreachable gateway from each MCP tool over stdio', async (t) => {
  const gateway = await testGateway(t);
  const user = await using(t, overStdio(gateway, 'gw_live_wrong'));
  t.like(await user.refusal('list_calls', {}), { status: 401, code: 'unauthorized' });
  const { base_url: url, file } = gateway.credentials;
  await writeFile(file, (await readFile(file, 'utf8')).replace(url, noServer));
  const elsewhere = await using(t, overStdio(gateway, 'gw_live_wrong'));
  const away = await elsewhere.refusal('list_calls', {});
  t.is(away.code, 'service_unavailable');
  t.is(away.detail, `The gateway at ${noServer} does not answer: ECONNREFUSED`);
});

/** The response status for a page that was loaded from this origin and names it in its request. */
const askedFromPage = (gateway: TestGateway, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { base_url: url, number_key: key } = gateway.credentials;
    const asking = request(new URL('/mcp', url), {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    asking.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.once('error', reject);
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  });

test.serial('rejects MCP requests of foreign web pages, including DNS rebinding', async (t) => {
  const gateway = await sharing(t);
  const { host, origin } = new URL(gateway.credentials.base_url);
  t.is(await askedFromPage(gateway, {}), 200);
  t.is(await askedFromPage(gateway, { Origin: origin }), 200);
  t.is(await askedFromPage(gateway, { Origin: 'https://elsewhere.example' }), 403);
  t.is(await askedFromPage(gateway, { Origin: 'http://rebound.example', Host: 'rebound.example' }), 403);
  t.is(await askedFromPage(gateway, { Origin: `http://rebound.example`, Host: host }), 403);
});

test.serial('accepts one MCP message of limited size per POST', async (t) => {
  const { client } = await sharing(t);
  t.is((await client.get('/mcp')).status, 405);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  t.is((await client.post('/mcp', [message, message])).status, 400);
  t.is((await client.post('/mcp', { ...message, padding: 'x'.repeat(2_000_000) })).status, 413);
  const neither = await client.post('/mcp', message, { accept: 'application/json' });
  t.like(neither.body, { code: 'invalid_request' });
});

// Events

const event = z.object({ id: z.string(), type: z.string(), call: z.object({ id: z.string() }) });

test.serial(
  'delivers the events of a call signed and in order, and the recording exists when its event arrives',
  async (t) => {
    const receiver = await startWebhookReceiver();
    t.teardown(receiver.close);
    const gateway = await testGateway(t);
    const { body } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
    receiver.trust(z.string().parse(body['secret']));
    // The first delivery of the second event fails, so the events after it wait.
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
  },
);

// Operations

const journalEvent = z.object({
  sequence: z.number(),
  type: z.string(),
  t_offset_sec: z.number().nullable(),
  data: z.record(z.string(), z.unknown()),
});

const latency = z.object({ agent: z.string() }).catchall(z.number().min(0));

test.serial('streams a call from ringing to summary, equal to the facts read later', async (t) => {
  const gateway = await sharing(t);
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  // The test ends the call: its gateway may take any time, even on a busy machine.
  const callee = '01000000071';
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
    script: [{ listen: true }, { say: 'Yes, that is right.' }, { listen: true }, { hold_sec: 600 }],
  });
  const callId = await gateway.call(callee, 'Confirm the reservation');
  const stream = await openEventStream(`${baseUrl}/api/v1/calls/${callId}/events`, key);
  await stream.until('the call is held', ({ data }) => data['conversation'] === 'on-hold');
  await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
  await until('the stream ends by itself', () => stream.isOver() || undefined);
  t.is(stream.events.at(-1)?.event, 'end');

  const told = stream.events.filter(({ event: name }) => name === 'fact').map(({ data }) => data);
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
  t.deepEqual(told, body['events']);
  const events = z.array(journalEvent).parse(told);
  t.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  t.is(events[0]?.type, 'call.answered');
  const types = events.map(({ type }) => type);
  t.true(types.indexOf('call.ended') > types.lastIndexOf('turn.spoken'));
  t.true(types.includes('call.summarized') && types.includes('recording.completed'));

  const turns = events.filter(({ type }) => type === 'turn.spoken');
  const transcript = await gateway.transcript(callId);
  t.deepEqual(
    turns.map(({ data }) => [data['turn'], data['role'], data['text']]),
    transcript.map(({ sequence, role, text }) => [sequence, role, text]),
  );

  const states = stream.events.filter(({ event: name }) => name === 'state').map(({ data }) => data);
  t.like(states.at(-1), {
    call: 'completed',
    conversation: null,
    voicemail: null,
    saying: null,
    hearing: null,
  });
  t.true(states.some(({ conversation }) => conversation !== null));
  for (const state of states)
    for (const name of ['call', 'conversation', 'voicemail', 'saying']) t.true(name in state, name);
  const said = z.array(z.object({ saying: z.string().nullable() })).parse(states);
  t.true(said.some(({ saying }) => saying === turns[0]?.data['text']));
});

test.serial(
  'streams an agent turn with the duration of each stage, and misses no event for a client that reconnects',
  async (t) => {
    const gateway = await sharing(t);
    const { base_url: baseUrl, admin_token: token } = gateway.credentials;
    const callId = await gateway.call('01000000001', 'Confirm the reservation');
    const url = `${baseUrl}/api/v1/admin/calls/${callId}/events`;
    const seen: string[] = [];
    for (let isOver = false; !isOver;) {
      const stream = await openEventStream(url, token, { 'last-event-id': seen.at(-1) ?? '0' });
      await stream.until('something new', ({ id, event: name }) => id !== null || name === 'end');
      stream.close();
      seen.push(...stream.events.flatMap(({ id }) => (id === null ? [] : [id])));
      isOver = stream.events.at(-1)?.event === 'end';
    }
    const { body } = await gateway.admin.get(`/api/v1/admin/calls/${callId}/events`);
    const events = z.array(journalEvent).parse(body['events']);
    t.deepEqual(
      seen,
      events.map(({ sequence }) => String(sequence)),
    );
    const [first, second] = events.filter(({ data }) => data['role'] === 'assistant');
    const ofKickoff = latency.parse(first?.data['latency']);
    t.deepEqual(Object.keys(ofKickoff).sort(), [
      'agent',
      'first_audio_ms',
      'first_sentence_ms',
      'first_token_ms',
    ]);
    t.is(ofKickoff.agent, 'builtin');
    const ofReply = latency.parse(second?.data['latency']);
    t.true('endpointing_ms' in ofReply && 'queued_ms' in ofReply);
  },
);

test.serial('has metrics of a call after its end', async (t) => {
  const gateway = await testGateway(t);
  const figures = async (): Promise<Map<string, number>> => {
    const { bytes } = await gateway.client.as(undefined).get('/metrics');
    const lines = bytes.toString().matchAll(/^(trunkline_\S+) (\S+)$/gm);
    return new Map([...lines].map(([, name, value]) => [String(name), Number(value)]));
  };
  const before = await figures();
  t.is(before.get('trunkline_calls_started_total{direction="outbound"}'), 0);
  t.is(before.get('trunkline_lines_ready'), 1);
  t.is(before.get('trunkline_event_deliveries{state="pending"}'), 0);

  const callId = await gateway.call('01000000001', 'Confirm the reservation');
  const during = await figures();
  t.is(
    (during.get('trunkline_calls_in_progress{direction="outbound",status="ringing"}') ?? 0) +
      (during.get('trunkline_calls_in_progress{direction="outbound",status="active"}') ?? 0),
    1,
  );
  await gateway.untilStatus(callId, ...finalStatuses);
  await until('the recording was counted', async () => {
    const count = (await figures()).get('trunkline_recordings_finished_total{outcome="completed"}');
    return count === 1 ? true : undefined;
  });
  const after = await figures();
  t.is(after.get('trunkline_calls_started_total{direction="outbound"}'), 1);
  t.is(
    after.get(
      'trunkline_calls_ended_total{direction="outbound",status="completed",end_reason="agent_hangup"}',
    ),
    1,
  );
  t.is(after.get('trunkline_calls_in_progress{direction="outbound",status="active"}'), 0);
  t.is(after.get('trunkline_facts_waiting'), 0);
  for (const stage of ['endpointing', 'first_token', 'first_sentence', 'first_audio', 'wait']) {
    const count = after.get(`trunkline_turn_stage_seconds_count{stage="${stage}",agent="builtin"}`);
    t.true((count ?? 0) >= 1, stage);
  }
  t.is(after.get('trunkline_http_requests_total{method="POST",route="/api/v1/calls",status="201"}'), 1);
  t.false([...after.keys()].some((name) => name.includes(callId)));
});

test.serial('counts a rejected inbound call in the metrics', async (t) => {
  const gateway = await testGateway(t);
  await gateway.admin.put(`${gateway.numberPath}/agents/inbound`, { agent: 'endpoint' });
  await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
  });
  const { bytes } = await gateway.client.as(undefined).get('/metrics');
  t.regex(bytes.toString(), /^trunkline_event_loop_stall_seconds_count \d+$/m);
  t.true(
    bytes
      .toString()
      .includes(
        'trunkline_calls_ended_total{direction="inbound",status="failed",end_reason="no_agent_endpoint"} 1',
      ),
  );
});

test.serial('keeps event streams open on a draining gateway until the last call has ended', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1', GW_DRAIN_SEC: '0' });
  const callId = await gateway.call('01000000002');
  const { base_url: baseUrl, number_key: key } = gateway.credentials;
  const stream = await openEventStream(`${baseUrl}/api/v1/calls/${callId}/events`, key);
  await stream.until('the state', ({ event: name }) => name === 'state');
  await gateway.close();
  await until('the stream is over', () => stream.isOver() || undefined);
  const facts = stream.events.filter(({ event: name }) => name === 'fact');
  t.true(facts.some(({ data }) => data['type'] === 'call.ended'));
});
