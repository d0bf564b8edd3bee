import test, { type ExecutionContext } from 'ava';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { webhookAgent } from '#src/agents/webhook.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { textOf } from '#test/helpers/heard-reply.ts';
import type { Message } from '#machines/reply.ts';
import { sendBody, sendJson, sendReply, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';

const context = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'outbound',
  from: '0212345678',
  to: '01000000001',
  language: 'ko',
} as const;

const setUp = async (t: ExecutionContext, answers: Answer | Answer[], changes: Partial<AgentCall> = {}) => {
  const server = await startAgentServer(answers);
  t.teardown(server.close);
  const url = `${server.url}/chat`;
  const agent = webhookAgent(endpointWorld(t), url, {
    context,
    binding: {
      direction: 'outbound',
      agent: 'endpoint',
      agentType: 'webhook',
      chatUrl: url,
      assistantId: null,
      agentId: null,
      controls: 'off',
    },
    bearerToken: null,
    instruction: null,
    ...changes,
  });
  const ask = (messages: readonly Message[], signal = new AbortController().signal): Promise<string> =>
    textOf(agent.reply({ turn: 1, messages }, signal));
  return { server, ask };
};

const hello = [{ role: 'user', content: '여보세요?' }] as const;

test('the request is the documented one, to the byte', async (t) => {
  const { server, ask } = await setUp(t, sendReply('네.'), { bearerToken: 'secret-token' });
  t.is(
    await ask([
      { role: 'user', content: kickoffFor('예약 확인') },
      { role: 'assistant', content: '안녕하세요.' },
      { role: 'user', content: '네, "누구"세요?' },
    ]),
    '네.',
  );
  const [request] = server.requests;
  t.is(
    request?.body,
    '{"call_id":"7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11","session_id":"7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11",' +
      '"message":"네, \\"누구\\"세요?","locale":"ko",' +
      '"gw":{"call_id":"7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11","direction":"outbound",' +
      '"from":"0212345678","to":"01000000001","language":"ko"}}',
  );
  t.like(request, { method: 'POST', path: '/chat' });
});

test('the kickoff is a message like any other', async (t) => {
  const { server, ask } = await setUp(t, sendReply('안녕하세요.'));
  await ask([{ role: 'user', content: kickoffFor('예약 확인') }]);
  t.like(JSON.parse(server.requests[0]?.body ?? ''), {
    message:
      '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] 예약 확인',
  });
});

test('further fields of the reply and its content type are of no interest', async (t) => {
  const { ask } = await setUp(
    t,
    sendBody('{"reply":"네, 그렇습니다.","mood":7}', 201, { 'content-type': 'text/plain' }),
  );
  t.is(await ask(hello), '네, 그렇습니다.');
});

const invalid: [title: string, answer: Answer][] = [
  ['an object without a reply', sendJson({ answer: '네' })],
  ['a reply that is null', sendJson({ reply: null })],
  ['a reply that is a number', sendJson({ reply: 7 })],
  ['a reply that is a list', sendJson({ reply: ['네'] })],
  ['a list', sendJson([{ reply: '네' }])],
  ['a string', sendJson('네')],
  ['null', sendJson(null)],
  ['an empty body', sendBody('')],
  ['204', (response) => void response.writeHead(204).end()],
  ['half an object', sendBody('{"reply": "네')],
  ['plain text', sendBody('네, 그렇습니다.')],
  ['an HTML page', sendBody('<html></html>')],
  ['text that is not UTF-8', sendBody(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22]))],
];

for (const [title, answer] of invalid) {
  test(`${title} is no reply`, async (t) => {
    const { ask } = await setUp(t, answer);
    const error = await t.throwsAsync(ask(hello));
    t.like(error, { failure: 'invalid_reply' });
    t.notRegex(error?.message ?? '', /네/);
  });
}

test('a reply may be large, but not too large', async (t) => {
  const room = 256 * 1024 - '{"reply":""}'.length;
  const { ask } = await setUp(t, [sendReply('x'.repeat(room)), sendReply('x'.repeat(room + 1))]);
  t.is((await ask(hello)).length, room);
  t.like(await t.throwsAsync(ask(hello)), { failure: 'reply_too_large' });
});
