/** Whatever may stand before any server, or in its place. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { agentTypes } from '#src/domain/agent-binding.ts';
import { hangUpConnection, redirectTo, sendBody, startAgentServer } from '#test/helpers/agent-server.ts';
import { html, page, testEach, tryUrl, type Broken } from './try-broken.ts';

/** What may be before any server, with what every type says to it. */
const everywhere: Omit<Broken, 'type'>[] = [
  {
    title: 'a Cloudflare challenge by its header',
    answer: html('<title>Just a moment...</title>', 403, {
      'cf-mitigated': 'challenge',
      server: 'cloudflare',
    }),
    kind: 'http_error',
    advice: [/protection against robots \(Cloudflare\)/, /user agent "Trunkline"/],
  },
  {
    title: 'a dead agent behind nginx',
    answer: html('<h1>502 Bad Gateway</h1><hr>nginx/1.27', 502),
    kind: 'http_error',
    advice: [
      /proxy in front of the agent \(nginx\) answers, the agent behind it does not/,
      /Start the agent/,
    ],
  },
  {
    title: 'a web page',
    answer: html(page),
    kind: 'invalid_reply',
    advice: [/web page/, /Correct/],
  },
  {
    title: 'a redirect to another path',
    answer: redirectTo('/v2/chat', 308),
    kind: 'redirect_refused',
    advice: [/HTTP 308\) to http:\/\/127\.0\.0\.1:\d+\/v2\/chat/, /Use the address/],
  },
  {
    title: 'a rate limit',
    answer: (response, asked) =>
      sendBody('{"error":"slow down"}', 429, { 'retry-after': '20' })(response, asked),
    kind: 'http_error',
    advice: [/limits how often it may be asked \(HTTP 429, again after 20 s\)/, /Raise its limit, or wait/],
  },
  {
    title: 'a connection that is closed at once',
    answer: hangUpConnection,
    kind: 'connection_failed',
    advice: [/closed the connection without an answer/, /https:\/\//],
  },
];

testEach(agentTypes.flatMap((type) => everywhere.map((each) => ({ ...each, type, noThread: true }))));

/** A server that says the same to everything, and is no web server. */
const rawServer = async (
  t: ExecutionContext,
  greeting: string | Buffer,
  waitsForWords = true,
): Promise<string> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (waitsForWords) socket.once('data', () => socket.end(greeting));
    else socket.end(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
};

const notHttp: readonly (readonly [title: string, greeting: string | Buffer])[] = [
  ['a mail server', '220 mail.example.com ESMTP\r\n'],
  ['an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a Redis', "-ERR unknown command 'POST'\r\n"],
  ['a TLS alert', Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])],
];
for (const [title, greeting] of notHttp) {
  for (const type of agentTypes) {
    test(`${type}: a port that is not HTTP: ${title}`, async (t) => {
      const turn = await tryUrl(t, await rawServer(t, greeting), { type });
      t.is(turn?.failure?.kind, 'invalid_reply');
      t.regex(turn?.advice ?? '', /answers, but not in HTTP\. Correct the port.*speaks TLS/);
    });
  }
}

for (const [title, url, advice] of [
  ['nobody listens', 'http://127.0.0.1:1', /Nothing listens at 127\.0\.0\.1:1\. Start the server/],
  ['plain http to elsewhere', 'http://agent.example.com/', /Begin the URL with https:\/\//],
  ['a private network', 'https://10.0.0.1/', /private network.*GW_AGENT_ALLOWED_HOSTS=10\.0\.0\.1/],
  ['TLS at a port that has none', 'https://127.0.0.1:PORT', /does not speak TLS\. Correct the port/],
] as const) {
  test(`webhook: ${title}`, async (t) => {
    const port = url.includes('PORT')
      ? new URL(await rawServer(t, 'HTTP/1.1 400 Bad Request\r\n\r\n')).port
      : '';
    const turn = await tryUrl(t, url.replace('PORT', port), { type: 'webhook' });
    t.regex(turn?.advice ?? '', advice);
  });
}

test('the token is masked where the endpoint repeats it, and the words of the gateway stay whole', async (t) => {
  const server = await startAgentServer((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-token': 'x' })
      .end('{"x":"x","proxy":1}');
  });
  t.teardown(server.close);
  const turn = await tryUrl(t, server.url, { type: 'webhook', request: { token: 'x' } });
  t.is(turn?.exchanges[0]?.received?.body, '{"••••":"••••","pro••••y":1}');
  t.is(turn?.exchanges[0]?.received?.headers['x-token'], '••••');
  t.is(
    turn?.advice,
    'The answer has no text in "reply"; its fields are: "••••", "pro••••y". Let the server answer {"reply": "…"}.',
  );
  const dead = await startAgentServer(sendBody('', 502));
  t.teardown(dead.close);
  const other = await tryUrl(t, dead.url, { type: 'webhook', request: { token: 'x' } });
  t.regex(other?.advice ?? '', /^The proxy in front of the agent/);
});
