import test, { type ExecutionContext } from 'ava';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { SimulatedClock } from 'xstate';
import { createHandshake } from '#src/agents/handshake.ts';
import { systemClock } from '#src/clocks.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import {
  redirectTo,
  sendBody,
  sendJson,
  startAgentServer,
  stayQuiet,
  type Answer,
} from '#test/helpers/agent-server.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const context = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'inbound',
  from: '01000000001',
  to: '0212345678',
  language: 'ko',
} as const;

const setUp = async (t: ExecutionContext, answer: Answer, clock: Clock = systemClock) => {
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
  return { server, ask: () => handshake({ url: `${server.url}/auth`, secret, context }) };
};

test('200 with a session token lets the caller in', async (t) => {
  const { ask } = await setUp(t, sendJson({ session_token: 'caller-7.abc=', expires: 60 }));
  t.deepEqual(await ask(), { allowed: true, sessionToken: 'caller-7.abc=' });
});

test('it is asked with the call context, signed as an event is', async (t) => {
  const { server, ask } = await setUp(t, sendJson({ session_token: 'token' }));
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
  t.deepEqual(new Webhook(secret).verify(request?.body ?? '', signed), context);
});

const rejections: [title: string, answer: Answer, reason: RegExp][] = [
  ['403', sendJson({ session_token: 'token' }, 403), /^HTTP 403$/],
  ['401', sendJson({}, 401), /^HTTP 401$/],
  ['500', sendJson({}, 500), /^HTTP 500$/],
  ['201, although it has a token', sendJson({ session_token: 'token' }, 201), /^HTTP 201$/],
  ['a redirect', redirectTo('https://example.com'), /redirect_refused/],
  ['no token', sendJson({}), /session_token/],
  ['an empty token', sendJson({ session_token: '' }), /session_token/],
  ['a token that is a number', sendJson({ session_token: 7 }), /session_token/],
  ['a token that no header can hold', sendJson({ session_token: 'a\r\nx-admin: 1' }), /session_token/],
  ['a token that is absurdly long', sendJson({ session_token: 'x'.repeat(4_097) }), /session_token/],
  ['something that is not JSON', sendBody('welcome'), /invalid_reply/],
  ['a body that is too large', sendBody(' '.repeat(65 * 1024)), /reply_too_large/],
  ['a connection that breaks', (response) => void response.destroy(), /connection_failed/],
];

for (const [title, answer, reason] of rejections) {
  test(`${title} rejects the caller`, async (t) => {
    const { ask } = await setUp(t, answer);
    const result = await ask();
    t.false(result.allowed);
    t.regex(result.allowed ? '' : result.reason, reason);
  });
}

test('no answer within 3 s rejects the caller', async (t) => {
  const clock = new SimulatedClock();
  const { server, ask } = await setUp(t, stayQuiet, clock);
  const asked = ask();
  await server.received(1);
  clock.increment(3_000);
  t.deepEqual(await asked, { allowed: false, reason: 'no answer within 3 s' });
});

test('a body that does not end within 3 s rejects the caller', async (t) => {
  const clock = new SimulatedClock();
  const { server, ask } = await setUp(
    t,
    (response) => void response.writeHead(200).write('{"session_token":'),
    clock,
  );
  const asked = ask();
  await server.received(1);
  clock.increment(3_000);
  t.deepEqual(await asked, { allowed: false, reason: 'no answer within 3 s' });
});
