import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/agents/try';
const chatUrl = 'https://agent.example.com/chat';
const basic = { agent_type: 'webhook', chat_url: chatUrl, say: ['Hello'] };

const storeToken = ({ admin, number }: FakeGateway, token: string) =>
  admin.put(`/api/v1/admin/numbers/${number.id}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: chatUrl,
    token,
  });

const tried = ({ asked }: FakeGateway): unknown => asked.findLast(([name]) => name === 'tryAgent')?.[1];

const auditOf = async ({ admin }: FakeGateway) => {
  const { body } = await admin.get('/api/v1/admin/audit');
  const { entries } = z.object({ entries: z.array(z.looseObject({ action: z.string() })) }).parse(body);
  return entries.find(({ action }) => action === 'agent.tried');
};

test('a trial needs a type, a URL and words, and has defaults for the rest', async (t) => {
  const gateway = await fakeGateway(t);
  const { status, body } = await gateway.admin.post(path, basic);
  t.is(status, 200);
  t.like(body, { ok: true, agent_type: 'webhook', direction: 'inbound', turns: [] });
  t.deepEqual(tried(gateway), {
    agentType: 'webhook',
    chatUrl,
    assistantId: null,
    agentId: null,
    controls: 'off',
    token: null,
    direction: 'inbound',
    language: 'ko',
    instruction: null,
    say: ['Hello'],
  });
  t.like(await auditOf(gateway), {
    subject: `workspace:${gateway.workspaceId}`,
    detail: {
      direction: 'inbound',
      agent_type: 'webhook',
      host: 'agent.example.com',
      stored_token_used: false,
      ok: true,
    },
  });
});

test('an outbound trial may say nothing after the kickoff', async (t) => {
  const gateway = await fakeGateway(t);
  const { status } = await gateway.admin.post(path, {
    agent_type: 'langgraph',
    chat_url: chatUrl,
    assistant_id: 'graph',
    direction: 'outbound',
    instruction: 'Book a table',
    language: 'en',
    token: 'given',
  });
  t.is(status, 200);
  t.like(tried(gateway), {
    agentType: 'langgraph',
    assistantId: 'graph',
    direction: 'outbound',
    instruction: 'Book a table',
    language: 'en',
    token: 'given',
    say: [],
  });
});

test("a number's own number and stored token are used, and the token is not shown", async (t) => {
  const gateway = await fakeGateway(t);
  await storeToken(gateway, 'secret-1');
  const answer = await gateway.admin.post(path, {
    ...basic,
    number_id: gateway.number.id,
    direction: 'outbound',
  });
  t.is(answer.status, 200);
  t.false(answer.bytes.includes('secret-'));
  t.like(tried(gateway), { token: 'secret-1', ownNumber: gateway.number.number });
  const entry = await auditOf(gateway);
  t.like(entry, { subject: `number:${gateway.number.id}`, detail: { stored_token_used: true } });
  t.false(JSON.stringify(entry).includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
});

test('the stored token stays where it was stored for, and is not sent unasked', async (t) => {
  const gateway = await fakeGateway(t);
  await storeToken(gateway, 'secret-1');
  const outbound = { ...basic, number_id: gateway.number.id, direction: 'outbound' };
  const tokens: [Record<string, unknown>, string | null][] = [
    [{ ...outbound, chat_url: 'https://agent.example.com/another/path' }, 'secret-1'],
    [{ ...outbound, chat_url: 'https://elsewhere.example.com/chat' }, null],
    [{ ...outbound, chat_url: 'https://agent.example.com:8443/chat' }, null],
    [{ ...outbound, direction: 'inbound' }, null],
    [{ ...outbound, token: 'given' }, 'given'],
    [{ ...outbound, token: '' }, null],
    [{ ...outbound, token: null }, null],
    [{ ...basic, direction: 'outbound' }, null],
  ];
  for (const [body, token] of tokens) {
    t.is((await gateway.admin.post(path, body)).status, 200);
    t.like(tried(gateway), { token }, JSON.stringify(body));
  }
});

test('the numbers of other workspaces do not exist', async (t) => {
  const gateway = await fakeGateway(t);
  const { workspaceId } = await addWorkspace(gateway.database);
  const other = await addNumber({ database: gateway.database, workspaceId });
  for (const id of [other.id, randomUUID()]) {
    const { status, body } = await gateway.admin.post(path, { ...basic, number_id: id });
    t.is(status, 404);
    t.like(body, { code: 'number_not_found' });
  }
  t.is(tried(gateway), undefined);
});

test('what does not validate asks nobody', async (t) => {
  const gateway = await fakeGateway(t);
  const faults: [Record<string, unknown>, string][] = [
    [{ ...basic, agent_type: 'gpt' }, 'agent_type'],
    [{ ...basic, chat_url: 'http://agent.example.com' }, 'chat_url'],
    [{ ...basic, chat_url: '' }, 'chat_url'],
    [{ agent_type: 'webhook', chat_url: chatUrl }, 'say'],
    [{ ...basic, say: [''] }, 'say.0'],
    [{ ...basic, say: ['1', '2', '3', '4', '5', '6'] }, 'say'],
    [{ ...basic, instruction: 'Book a table' }, 'instruction'],
    [{ ...basic, language: 'de' }, 'language'],
    [{ ...basic, token: 'line\nbreak' }, 'token'],
    [{ ...basic, number_id: 'x' }, 'number_id'],
    [{ ...basic, more: true }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await gateway.admin.post(path, body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
  t.is(tried(gateway), undefined);
  t.is((await gateway.client.post(path, basic)).status, 401);
});

test('the built-in agent is tried without a URL, and an endpoint is not', async (t) => {
  const gateway = await fakeGateway(t);
  const { status } = await gateway.admin.post(path, { agent_type: 'builtin', say: ['Hello'] });
  t.is(status, 200);
  t.like(tried(gateway), { agentType: 'builtin', chatUrl: null, token: null });
  t.like(await auditOf(gateway), { detail: { agent_type: 'builtin', host: null } });
  const refused = await gateway.admin.post(path, { agent_type: 'webhook', say: ['Hello'] });
  t.is(refused.status, 400);
  t.like(refused.body, { errors: [{ path: 'chat_url' }] });
});
