import test from 'ava';
import { z } from 'zod';
import { fakeGateway, sealing, type FakeGateway } from './fake-gateway.ts';

const url = 'https://agent.example.com/chat';

const agentPath = ({ number }: FakeGateway, direction: string) =>
  `/api/v1/admin/numbers/${number.id}/agents/${direction}`;

const storedToken = async ({ database, number }: FakeGateway): Promise<string | null> => {
  const [row] = await database.execute<{ sealed: string | null }>(
    `select token_sealed as sealed from agent_binding where number_id = $1 and direction = 'outbound'`,
    [number.id],
  );
  return row?.sealed ? sealing.open(row.sealed, number.id) : null;
};

const all = { agent: 'endpoint', chat_url: url, assistant_id: 'graph', agent_id: 'support' };

/** What each type stores (guides/design/agents.md, "Bindings"). */
const table: [string, 'inbound' | 'outbound', { assistant_id: string | null; agent_id: string | null }][] = [
  ['webhook', 'inbound', { assistant_id: null, agent_id: null }],
  ['webhook', 'outbound', { assistant_id: null, agent_id: null }],
  ['openai_compatible', 'inbound', { assistant_id: null, agent_id: null }],
  ['openai_compatible', 'outbound', { assistant_id: null, agent_id: null }],
  ['n8n', 'inbound', { assistant_id: null, agent_id: null }],
  ['n8n', 'outbound', { assistant_id: null, agent_id: null }],
  ['langgraph', 'inbound', { assistant_id: 'graph', agent_id: null }],
  ['langgraph', 'outbound', { assistant_id: 'graph', agent_id: null }],
  ['mastra', 'inbound', { assistant_id: null, agent_id: null }],
  ['mastra', 'outbound', { assistant_id: null, agent_id: 'support' }],
];

for (const [agentType, direction, stored] of table) {
  test(`${direction} ${agentType} keeps what it stores`, async (t) => {
    const gateway = await fakeGateway(t);
    const { status, body } = await gateway.admin.put(agentPath(gateway, direction), {
      ...all,
      agent_type: agentType,
    });
    t.is(status, 200);
    t.deepEqual(body, {
      agent: 'endpoint',
      agent_type: agentType,
      chat_url: url,
      ...stored,
      controls: 'off',
      token_configured: false,
    });
    const number = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
    const { agents } = z.object({ agents: z.record(z.string(), z.unknown()) }).parse(number.body);
    t.deepEqual(agents[direction], body);
  });
}

test('the token is written, kept, replaced and removed, and never read', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'outbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const put = async (token?: string | null) => {
    const answer = await gateway.admin.put(path, token === undefined ? body : { ...body, token });
    t.is(answer.status, 200);
    t.false(answer.bytes.includes('secret-'));
    return answer.body.token_configured;
  };
  t.false(await put());
  t.true(await put('secret-1'));
  t.is(await storedToken(gateway), 'secret-1');
  t.true(await put());
  t.is(await storedToken(gateway), 'secret-1');
  t.true(await put('secret-2'));
  t.is(await storedToken(gateway), 'secret-2');
  t.false(await put(null));
  t.is(await storedToken(gateway), null);
  t.true(await put('secret-3'));
  t.false(await put(''));

  await put('secret-4');
  const read = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
  t.false(read.bytes.includes('secret-'));
  const audit = await gateway.admin.get('/api/v1/admin/audit');
  t.false(audit.bytes.includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
});

test('inbound has no place for a token', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'inbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const refused = await gateway.admin.put(path, { ...body, token: 'secret' });
  t.is(refused.status, 400);
  t.like(refused.body, { code: 'invalid_request', errors: [{ path: 'token' }] });
  t.is((await gateway.admin.put(path, { ...body, token: null })).status, 200);
});

test('an endpoint without a type or a URL may be stored; it takes no calls', async (t) => {
  const gateway = await fakeGateway(t);
  const { status, body } = await gateway.admin.put(agentPath(gateway, 'outbound'), {
    agent: 'endpoint',
    chat_url: '',
  });
  t.is(status, 200);
  t.like(body, { agent: 'endpoint', agent_type: null, chat_url: null });
});

test('what does not validate changes nothing', async (t) => {
  const gateway = await fakeGateway(t);
  const faults: [Record<string, unknown>, string][] = [
    [{}, 'agent'],
    [{ agent: 'other' }, 'agent'],
    [{ agent: 'endpoint', agent_type: 'gpt' }, 'agent_type'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: 'http://agent.example.com' }, 'chat_url'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: 'nonsense' }, 'chat_url'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: url, token: 'line\nbreak' }, 'token'],
    [{ agent: 'builtin', more: true }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await gateway.admin.put(agentPath(gateway, 'outbound'), body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
  t.is((await gateway.admin.put(agentPath(gateway, 'sideways'), { agent: 'builtin' })).status, 400);
  const { body } = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
  t.like(body, { agents: { outbound: { agent: 'builtin', chat_url: null } } });
});

test('a LangGraph binding that would take calls names its graph', async (t) => {
  const gateway = await fakeGateway(t);
  const put = (changes: object) =>
    gateway.admin.put(agentPath(gateway, 'outbound'), { ...all, agent_type: 'langgraph', ...changes });
  for (const assistant_id of [null, '', undefined]) {
    const { status, body } = await put({ assistant_id });
    t.is(status, 400);
    t.like(body, { code: 'invalid_request', errors: [{ path: 'assistant_id' }] });
  }
  const unfinished = await put({ assistant_id: null, chat_url: null });
  t.is(unfinished.status, 200, 'without a chat URL it takes no calls yet');
});
