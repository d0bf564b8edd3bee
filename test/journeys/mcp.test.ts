/** An agent elsewhere places and follows calls by the Model Context Protocol: over HTTP, and over standard input and output. */
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
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

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
    env: { GW_DATA_DIR: dirname(credentials.file), ...(key === undefined ? {} : { NUMBER_KEY: key }) },
  });

const transports = { overHttp, overStdio };

/** On a busy machine everything comes late, and comes all the same. */
const patient = { timeout: 600_000 };

const problem = z.looseObject({ code: z.string(), detail: z.string(), status: z.number().optional() });

/** An agent that uses the tools of a gateway. */
const using = async (t: ExecutionContext, transport: Transport) => {
  const client = new Client({ name: 'an agent', version: '1' });
  t.teardown(() => client.close());
  await client.connect(transport, patient);
  /** Of which the client finds that it is what the tool has declared. */
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

/** A call in which the agent goes on talking until it is hung up. */
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
  test(`${name}: a call is placed, waited for and read`, async (t) => {
    const gateway = await testGateway(t);
    const user = await using(t, connect(gateway));
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

  test(`${name}: a call is transferred only to whom the number allows, and hung up`, async (t) => {
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

  test(`${name}: a call that rings is taken back`, async (t) => {
    const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
    const user = await using(t, connect(gateway));
    const { call_id: callId } = await user.ask('place_call', { to: neverAnswers });
    const waited = await user.ask('wait_for_call', { call_id: callId, timeout_sec: 1 });
    t.like(waited, { ended: false, call: { status: 'ringing' } });
    t.is((await user.ask('hang_up', { call_id: callId }))['status'], 'cancel_requested');
    t.like(await untilEnded(user, callId), { status: 'no_answer', end_reason: 'cancelled' });
  });
}

test('the API refuses in its own words', async (t) => {
  const gateway = await testGateway(t);
  const { admin } = gateway;
  const made = await admin.post('/api/v1/admin/numbers', { number: '07012345678' });
  const issued = await admin.post(`/api/v1/admin/numbers/${String(made.body['id'])}/key`);
  const other = gateway.client.as(z.string().parse(issued.body['key']));
  const { body } = await other.post('/api/v1/calls', { to: polite });
  for (const connect of Object.values(transports)) {
    const { refusal } = await using(t, connect(gateway));
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

test('under one key a call is placed once, whichever way it is asked for', async (t) => {
  const gateway = await testGateway(t);
  const given = { to: polite, idempotency_key: 'monday' };
  const placed: unknown[] = [];
  for (const connect of Object.values(transports)) {
    const { ask, refusal } = await using(t, connect(gateway));
    placed.push((await ask('place_call', given))['call_id'], (await ask('place_call', given))['call_id']);
    const again = await refusal('place_call', { ...given, to: neverAnswers });
    t.is(again.code, 'idempotency_key_reused');
  }
  t.is(new Set(placed).size, 1);
});

test('each tool says what it costs and what it does', async (t) => {
  const gateway = await testGateway(t);
  for (const connect of Object.values(transports)) {
    const { client } = await using(t, connect(gateway));
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
      t.regex(description, /\bcosts?\b/i, name);
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

test('over HTTP a wrong key is let nowhere', async (t) => {
  const gateway = await testGateway(t);
  const client = new Client({ name: 'an agent', version: '1' });
  const error = await t.throwsAsync(client.connect(overHttp(gateway, 'gw_live_wrong'), patient));
  t.regex(error.message, /unauthorized/);
});

test('over standard input and output each tool says that the key is wrong, or that no gateway answers', async (t) => {
  const gateway = await testGateway(t);
  const user = await using(t, overStdio(gateway, 'gw_live_wrong'));
  t.like(await user.refusal('list_calls', {}), { status: 401, code: 'unauthorized' });
  await gateway.close();
  const away = await user.refusal('list_calls', {});
  t.is(away.code, 'service_unavailable');
  t.regex(away.detail, /^No gateway answers at http:\/\/127\.0\.0\.1:\d+\. "npm start" starts one\.$/);
});

/** The status of an answer to a page that was loaded from this origin, under whose name it asks. */
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

test('pages of other sites are refused, also those that have this machine under their own name', async (t) => {
  const gateway = await testGateway(t);
  const { host, origin } = new URL(gateway.credentials.base_url);
  t.is(await askedFromPage(gateway, {}), 200);
  t.is(await askedFromPage(gateway, { Origin: origin }), 200);
  t.is(await askedFromPage(gateway, { Origin: 'https://elsewhere.example' }), 403);
  t.is(await askedFromPage(gateway, { Origin: 'http://rebound.example', Host: 'rebound.example' }), 403);
  t.is(await askedFromPage(gateway, { Origin: `http://rebound.example`, Host: host }), 403);
});

test('messages come one at a time, by POST, and not too large', async (t) => {
  const { client } = await testGateway(t);
  t.is((await client.get('/mcp')).status, 405);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  t.is((await client.post('/mcp', [message, message])).status, 400);
  t.is((await client.post('/mcp', { ...message, padding: 'x'.repeat(2_000_000) })).status, 413);
  const neither = await client.post('/mcp', message, { accept: 'application/json' });
  t.like(neither.body, { code: 'invalid_request' });
});
