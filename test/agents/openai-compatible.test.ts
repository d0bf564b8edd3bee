import test, { type ExecutionContext } from 'ava';
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { openAiCompatibleAgent } from '#src/agents/openai-compatible.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { sendBody, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

const context = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'inbound',
  from: '01012345678',
  to: '0212345678',
  language: 'ko',
} as const;

const setUp = async (
  t: ExecutionContext,
  answer: Answer,
  { path = '', ...changes }: Partial<AgentCall> & { path?: string } = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const agent = openAiCompatibleAgent(endpointWorld(t), chatUrl, {
    context,
    binding: {
      direction: 'inbound',
      agent: 'endpoint',
      agentType: 'openai_compatible',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
    },
    bearerToken: null,
    instruction: null,
    ...changes,
  });
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '여보세요?' }] as const;
const yes = sendBody(
  'data: {"choices":[{"index":0,"delta":{"content":"네."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);

test('the request is the documented one, to the byte', async (t) => {
  const { server, ask } = await setUp(t, yes, { path: '/v1', bearerToken: 'session-token' });
  const messages: Message[] = [
    { role: 'user', content: kickoffFor('예약 "확인"') },
    { role: 'assistant', content: '안녕하세요.' },
    { role: 'user', content: '네?' },
  ];
  t.is(await textOf(ask(messages)), '네.');
  const [request] = server.requests;
  t.is(request?.method, 'POST');
  t.is(request?.path, '/v1/chat/completions');
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"[outbound call connected] You speak first. The other party has not said anything yet.' +
      '\\n[task] 예약 \\"확인\\""},{"role":"assistant","content":"안녕하세요."},{"role":"user","content":"네?"}],"stream":true}',
  );
});

test('a withheld number is a header like any other', async (t) => {
  const { server, ask } = await setUp(t, yes, { context: { ...context, from: 'anonymous' } });
  await textOf(ask());
  t.is(server.requests[0]?.headers['x-gw-from'], 'anonymous');
});

for (const [chatPath, expected] of [
  ['', '/chat/completions'],
  ['/', '/chat/completions'],
  ['/v1/', '/v1/chat/completions'],
  ['/v1?api-version=2', '/v1/chat/completions?api-version=2'],
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/chat/completions/', '/v1/chat/completions'],
] as const) {
  test(`the chat URL …${chatPath} asks ${expected}`, async (t) => {
    const { server, ask } = await setUp(t, yes, { path: chatPath });
    await textOf(ask());
    t.is(server.requests[0]?.path, expected);
  });
}

for (const { name, bytes, response } of recordedReplies('openai_compatible').filter(
  ({ response: { status } }) => status >= 300,
)) {
  test(`${name}: an HTTP error is a failure, and nothing of it is spoken`, async (t) => {
    const { ask } = await setUp(t, sendBody(bytes, response.status));
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { failure: 'http_error', status: response.status, message: `HTTP ${response.status}` });
  });
}

const wantsTool = 'the model asked for a tool, which the server leaves to the caller';

test('a tool that nobody here can call is no reply', async (t) => {
  const toolCalls = recordedReplies('openai_compatible').find(({ name }) => name === '29-tool_calls');
  const { ask } = await setUp(t, sendBody(toolCalls?.bytes ?? ''));
  const { text, error } = await hearReply(ask());
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: wantsTool });
});

test('a tool that nobody here can call is a remark behind words', async (t) => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = { index: 0, id: 'c', function: { name: 'look_up', arguments: '{}' } };
  const { ask } = await setUp(
    t,
    sendBody(chunk({ content: '찾아볼게요.' }) + chunk({ tool_calls: [call] }) + chunk({}, 'tool_calls')),
  );
  const { text, remarks, error } = await hearReply(ask());
  t.deepEqual({ text, error }, { text: '찾아볼게요.', error: undefined });
  t.deepEqual(remarks, [wantsTool]);
});
