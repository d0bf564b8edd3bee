/** Webhook agents and the handshake before a call. */
import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { SimulatedClock } from 'xstate';
import type { Message } from '#machines/reply.ts';
import { createHandshake } from '#src/agents/handshake.ts';
import { webhookAgent } from '#src/agents/webhook.ts';
import { systemClock } from '#src/clocks.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Clock } from '#src/domain/clock.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import {
  type Answer,
  redirectTo,
  sendBody,
  sendJson,
  sendReply,
  startAgentServer,
  stayQuiet,
} from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { textOf } from '#test/helpers/heard-reply.ts';

// Webhook

const webhookContext = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'outbound',
  from: '0212345678',
  to: '01000000001',
  language: 'ko',
} as const;

const setUpWebhook = async (
  t: ExecutionContext,
  answers: Answer | Answer[],
  changes: Partial<AgentCall> = {},
) => {
  const server = await startAgentServer(answers);
  t.teardown(server.close);
  const url = `${server.url}/chat`;
  const agent = webhookAgent(endpointWorld(t), url, {
    context: webhookContext,
    binding: {
      direction: 'outbound',
      agent: 'endpoint',
      agentType: 'webhook',
      chatUrl: url,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken: null,
    headers: {},
    instruction: null,
    ...changes,
  });
  const ask = (messages: readonly Message[], signal = new AbortController().signal): Promise<string> =>
    textOf(agent.reply({ turn: 1, messages }, signal));
  return { server, ask };
};

const hello = [{ role: 'user', content: '여보세요?' }] as const;

test.serial('sends a request that matches the documentation byte for byte', async (t) => {
  const { server, ask } = await setUpWebhook(t, sendReply('네.'), { bearerToken: 'secret-token' });
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

test.serial('sends the kickoff as an ordinary message', async (t) => {
  const { server, ask } = await setUpWebhook(t, sendReply('안녕하세요.'));
  await ask([{ role: 'user', content: kickoffFor('예약 확인') }]);
  t.like(JSON.parse(server.requests[0]?.body ?? ''), {
    message:
      '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] 예약 확인',
  });
});

test.serial('ignores unknown fields and the content type of the reply', async (t) => {
  const { ask } = await setUpWebhook(
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
  test.serial(`rejects ${title} as an invalid reply`, async (t) => {
    const { ask } = await setUpWebhook(t, answer);
    const error = await t.throwsAsync(ask(hello));
    t.like(error, { failure: 'invalid_reply' });
    t.notRegex(error?.message ?? '', /네/);
  });
}

test.serial('limits the size of a reply', async (t) => {
  const room = 256 * 1024 - '{"reply":""}'.length;
  const { ask } = await setUpWebhook(t, [sendReply('x'.repeat(room)), sendReply('x'.repeat(room + 1))]);
  t.is((await ask(hello)).length, room);
  t.like(await t.throwsAsync(ask(hello)), { failure: 'reply_too_large' });
});

// Handshake

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const handshakeContext = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'inbound',
  from: '01000000001',
  to: '0212345678',
  language: 'ko',
} as const;

const setUpHandshake = async (t: ExecutionContext, answer: Answer, clock: Clock = systemClock) => {
  const server = await startAgentServer(answer);
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 64 * 1024,
    connectionsPerHost: 4,
  });
  t.teardown(async () => {
    await client.close();
    await server.close();
  });
  const handshake = createHandshake({ client, timeoutMs: clock === systemClock ? 60_000 : 3_000, clock });
  return { server, ask: () => handshake({ url: `${server.url}/auth`, secret, context: handshakeContext }) };
};

test.serial('admits the caller on HTTP 200 with a session token', async (t) => {
  const { ask } = await setUpHandshake(t, sendJson({ session_token: 'caller-7.abc=', expires: 60 }));
  t.deepEqual(await ask(), { allowed: true, sessionToken: 'caller-7.abc=' });
});

test.serial('sends the call context, signed like an event delivery', async (t) => {
  const { server, ask } = await setUpHandshake(t, sendJson({ session_token: 'token' }));
  await ask();
  const [request] = server.requests;
  t.like(request, { method: 'POST', path: '/auth' });
  t.is(
    request?.body,
    '{"call_id":"7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11","direction":"inbound",' +
      '"from":"01000000001","to":"0212345678","language":"ko"}',
  );
  t.is(request?.headers['content-type'], 'application/json');
  t.regex(String(request?.headers['traceparent']), /^00-7f9c2f6e4f0e4b7e9b1c2d1d5a1e0c11-/);
  const signed = {
    'webhook-id': String(request?.headers['webhook-id']),
    'webhook-timestamp': String(request?.headers['webhook-timestamp']),
    'webhook-signature': String(request?.headers['webhook-signature']),
  };
  t.deepEqual(new Webhook(secret).verify(request?.body ?? '', signed), handshakeContext);
});

const rejections: [title: string, answer: Answer, reason: RegExp][] = [
  ['403', sendJson({ session_token: 'token' }, 403), /^HTTP 403$/],
  ['401', sendJson({}, 401), /^HTTP 401$/],
  ['500', sendJson({}, 500), /^HTTP 500$/],
  ['201 with a token', sendJson({ session_token: 'token' }, 201), /^HTTP 201$/],
  ['a redirect', redirectTo('https://example.com'), /redirect_refused/],
  ['no token', sendJson({}), /session_token/],
  ['an empty token', sendJson({ session_token: '' }), /session_token/],
  ['a token that is a number', sendJson({ session_token: 7 }), /session_token/],
  ['a token that is not valid in a header', sendJson({ session_token: 'a\r\nx-admin: 1' }), /session_token/],
  ['a token that is too long', sendJson({ session_token: 'x'.repeat(4_097) }), /session_token/],
  ['a body that is not JSON', sendBody('welcome'), /invalid_reply/],
  ['a body that is too large', sendBody(' '.repeat(65 * 1024)), /reply_too_large/],
  ['a connection that breaks', (response) => void response.destroy(), /connection_failed/],
];

for (const [title, answer, reason] of rejections) {
  test.serial(`rejects the caller on ${title}`, async (t) => {
    const { ask } = await setUpHandshake(t, answer);
    const result = await ask();
    t.false(result.allowed);
    t.regex(result.allowed ? '' : result.reason, reason);
  });
}

test.serial('rejects the caller when no response arrives within 3 s', async (t) => {
  const clock = new SimulatedClock();
  const { server, ask } = await setUpHandshake(t, stayQuiet, clock);
  const asked = ask();
  await server.received(1);
  clock.increment(3_000);
  t.deepEqual(await asked, { allowed: false, reason: 'no answer within 3 s' });
});

test.serial('rejects the caller when the response body does not end within 3 s', async (t) => {
  const clock = new SimulatedClock();
  const { server, ask } = await setUpHandshake(
    t,
    (response) => void response.writeHead(200).write('{"session_token":'),
    clock,
  );
  const asked = ask();
  await server.received(1);
  clock.increment(3_000);
  t.deepEqual(await asked, { allowed: false, reason: 'no answer within 3 s' });
});
