import test, { type ExecutionContext } from 'ava';
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { mastraAgent, mastraUrl } from '#src/agents/mastra.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { sendBody, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

const context = {
  call_id: '5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f',
  direction: 'inbound',
  from: '01012345678',
  to: '0212345678',
  language: 'ko',
} as const;

type Options = {
  direction?: 'inbound' | 'outbound';
  path?: string;
  agentId?: string | null;
  bearerToken?: string | null;
};

const setUp = async (
  t: ExecutionContext,
  answer: Answer,
  { direction = 'inbound', path = '', agentId = null, bearerToken = null }: Options = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const call: AgentCall = {
    context: { ...context, direction },
    binding: {
      direction,
      agent: 'endpoint',
      agentType: 'mastra',
      chatUrl,
      assistantId: null,
      agentId,
      controls: 'off',
    },
    bearerToken,
    instruction: null,
  };
  const agent = mastraAgent(endpointWorld(t), chatUrl, call);
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '안녕하세요' }] as const;

const sendChunks = (...chunks: unknown[]): Answer =>
  sendBody([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join(''));

const sendText = (text: string): Answer =>
  sendChunks(
    { type: 'text-delta', payload: { id: '1', text } },
    { type: 'finish', payload: { stepResult: { reason: 'stop' } } },
  );

test('an inbound request is the documented one, to the byte', async (t) => {
  const { server, ask } = await setUp(t, sendText('네.'), { bearerToken: 'session-token' });
  t.is(
    await textOf(
      ask([
        { role: 'user', content: '여보세요' },
        { role: 'assistant', content: '네, "말씀"하세요.' },
        { role: 'user', content: '예약이요' },
      ]),
    ),
    '네.',
  );
  const [request] = server.requests;
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"여보세요"},' +
      '{"role":"assistant","content":"네, \\"말씀\\"하세요."},{"role":"user","content":"예약이요"}],' +
      '"requestContext":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"inbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
  t.like(request, { method: 'POST', path: '/api/agents/voiceAssistant/stream' });
});

test('an outbound request goes to the stored agent, and begins with the kickoff', async (t) => {
  const { server, ask } = await setUp(t, sendText('안녕하세요.'), {
    direction: 'outbound',
    agentId: '예약 봇/1',
    bearerToken: 'stored-token',
    path: '/',
  });
  await textOf(ask([{ role: 'user', content: kickoffFor('예약 확인') }]));
  const [request] = server.requests;
  t.is(request?.path, '/api/agents/%EC%98%88%EC%95%BD%20%EB%B4%87%2F1/stream');
  t.is(request?.headers.authorization, 'Bearer stored-token');
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"[outbound call connected] You speak first. ' +
      'The other party has not said anything yet.\\n[task] 예약 확인"}],' +
      '"requestContext":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"outbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
});

test('an inbound call never goes to an Agent ID, only to where its chat URL points', async (t) => {
  const plain = await setUp(t, sendText('네.'), { agentId: 'stored' });
  await textOf(plain.ask());
  t.is(plain.server.requests[0]?.path, '/api/agents/voiceAssistant/stream');
  const pointed = await setUp(t, sendText('네.'), { agentId: 'stored', path: '/api/agents/other?key=1' });
  await textOf(pointed.ask());
  t.is(pointed.server.requests[0]?.path, '/api/agents/other/stream?key=1');
});

const base = 'https://agent.example.com';
const address = test.macro<[title: string, path: string, agentId: string | null, expected: string]>({
  exec(t, _, path, agentId, expected) {
    t.is(mastraUrl(`${base}${path}`, agentId), `${base}${expected}`);
  },
  title: (_, title) => title,
});

test(address, 'a base without an Agent ID', '', null, '/api/agents/voiceAssistant/stream');
test(address, 'a base with a path and slashes', '/bots//', 'a', '/bots/api/agents/a/stream');
test(address, 'a base that ends in /api', '/bots/api/', 'a', '/bots/api/agents/a/stream');
test(address, 'a base that only looks like it', '/myapi', 'a', '/myapi/api/agents/a/stream');
test(address, 'the URL of an agent', '/api/agents/b', null, '/api/agents/b/stream');
test(address, 'the URL of its stream', '/x/api/agents/b%20c/stream/', null, '/x/api/agents/b%20c/stream');
test(address, 'the URL of an agent and an Agent ID', '/api/agents/b/stream', 'a', '/api/agents/a/stream');
test(address, 'agents with odd names', '/api/agents/api', null, '/api/agents/api/stream');
test(address, 'a query stays', '/api?key=a/b', 'a', '/api/agents/a/stream?key=a/b');
test(address, 'an Agent ID is one segment', '', 'a/../b?c#d', '/api/agents/a%2F..%2Fb%3Fc%23d/stream');

for (const { name, bytes, response } of recordedReplies('mastra')) {
  if (response.status < 300) continue;
  test(`recorded ${name}: HTTP ${response.status} is a failure with the server's words`, async (t) => {
    const { ask } = await setUp(t, sendBody(bytes, response.status));
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    const { status } = response;
    t.like(error, { failure: 'http_error', status, message: `HTTP ${status}`, serverSays: String(bytes) });
  });
}

test('what is asked is what the recorded server was asked', async (t) => {
  const recorded = recordedReplies('mastra').find(({ name }) => name === '02a-voiceAssistant');
  const { server, ask } = await setUp(t, sendBody(recorded?.bytes ?? ''));
  t.is(await textOf(ask()), recorded?.expect.spoken ?? '');
  t.is(server.requests[0]?.path, recorded?.request?.path);
  t.is(server.requests[0]?.body, JSON.stringify(recorded?.request?.body));
});

test('a reply may be far larger than its words', async (t) => {
  const bulk = { type: 'tool-result', payload: { result: 'x'.repeat(400_000) } };
  const { ask } = await setUp(
    t,
    sendChunks(bulk, { type: 'text-delta', payload: { id: '1', text: '네.' } }, bulk),
  );
  t.is(await textOf(ask()), '네.');
});
