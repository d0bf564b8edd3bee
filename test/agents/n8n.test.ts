import test, { type ExecutionContext } from 'ava';
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { n8nAgent } from '#src/agents/n8n.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { sendBody, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

const setUp = async (
  t: ExecutionContext,
  answer: Answer,
  {
    direction = 'inbound',
    bearerToken = null,
    path = '/webhook/out/chat',
  }: { direction?: 'inbound' | 'outbound'; bearerToken?: string | null; path?: string } = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const call: AgentCall = {
    context: {
      call_id: '5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f',
      direction,
      from: '01012345678',
      to: '0212345678',
      language: 'ko',
    },
    binding: {
      direction,
      agent: 'endpoint',
      agentType: 'n8n',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
    },
    bearerToken,
    instruction: null,
  };
  const agent = n8nAgent(endpointWorld(t), chatUrl, call);
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '안녕하세요' }] as const;
const sendYes = sendBody('{"output":"네."}');

test('an inbound request is the documented one, to the byte, and has the new turn alone', async (t) => {
  const { server, ask } = await setUp(t, sendYes, {
    bearerToken: 'session-token',
    path: '/webhook/x/chat/?key=1',
  });
  t.is(
    await textOf(
      ask([
        { role: 'user', content: '여보세요' },
        { role: 'assistant', content: '네, 말씀하세요.' },
        { role: 'user', content: '"예약"이요' },
      ]),
    ),
    '네.',
  );
  const [request] = server.requests;
  t.is(
    request?.body,
    '{"action":"sendMessage","sessionId":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","chatInput":"\\"예약\\"이요",' +
      '"metadata":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"inbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
  t.like(request, { method: 'POST', path: '/webhook/x/chat/?key=1' });
});

test('an outbound request begins with the kickoff and shows the stored token', async (t) => {
  const { server, ask } = await setUp(t, sendYes, { direction: 'outbound', bearerToken: 'stored-token' });
  await textOf(ask([{ role: 'user', content: kickoffFor('예약 확인') }]));
  const [request] = server.requests;
  t.is(request?.headers.authorization, 'Bearer stored-token');
  t.is(
    request?.body,
    '{"action":"sendMessage","sessionId":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f",' +
      '"chatInput":"[outbound call connected] You speak first. The other party has not said anything yet.' +
      '\\n[task] 예약 확인",' +
      '"metadata":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"outbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
});

test('what is asked is what the recorded server was asked', async (t) => {
  const recorded = recordedReplies('n8n').find(({ name }) => name === '02a-lastNode-code');
  const { server, ask } = await setUp(t, sendBody(recorded?.bytes ?? ''));
  t.is(await textOf(ask()), recorded?.expect.spoken ?? '');
  t.is(server.requests[0]?.path, recorded?.request?.path);
  t.is(server.requests[0]?.body, JSON.stringify(recorded?.request?.body));
});

for (const { name, bytes, response } of recordedReplies('n8n')) {
  if (response.status < 300) continue;
  test(`recorded ${name}: HTTP ${response.status} is a failure, never its message`, async (t) => {
    const { status } = response;
    const { ask } = await setUp(t, sendBody(bytes, status));
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { failure: 'http_error', status, message: `HTTP ${status}` });
    t.like(error, { serverSays: bytes.length === 0 ? undefined : bytes.toString() });
  });
}

test('a stream may be far larger than its words', async (t) => {
  const line = `{"type":"item","content":"","metadata":{"nodeName":"${'x'.repeat(1_000)}"}}\n`;
  const { ask } = await setUp(t, sendBody(`${line.repeat(400)}{"type":"item","content":"네."}\n`));
  t.is(await textOf(ask()), '네.');
});
