/** Agent endpoints that fail: wrong statuses, formats and connections, for chat completions and webhooks. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type AgentType, agentTypes } from '#src/domain/agent-binding.ts';
import {
  type Answer,
  breakInTheMiddle,
  hangUpConnection,
  redirectTo,
  sendBody,
  sendJson,
  startAgentServer,
  stayQuiet,
} from '#test/helpers/agent-server.ts';
import {
  type Broken,
  chunk,
  error,
  html,
  named,
  page,
  recorded,
  sse,
  testEach,
  text,
  tryUrl,
} from './broken-endpoints/try-broken.ts';

// Everywhere
// Responses of proxies and other software in front of a server, or in its place.

/** Possible responses in front of any server, with the advice for each type. */
const everywhere: Omit<Broken, 'type'>[] = [
  {
    title: 'a Cloudflare challenge, recognized by its response header',
    answer: html('<title>Just a moment...</title>', 403, {
      'cf-mitigated': 'challenge',
      server: 'cloudflare',
    }),
    kind: 'http_error',
    advice: [/protection against robots \(Cloudflare\)/, /user agent "Trunkline"/],
  },
  {
    title: 'an agent that is down behind nginx',
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

/** A server that answers everything with the same bytes, and is not a web server. */
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
    test.serial(`${type}: gives advice when the port does not speak HTTP (${title})`, async (t) => {
      const turn = await tryUrl(t, await rawServer(t, greeting), { type });
      t.is(turn?.failure?.kind, 'invalid_reply');
      t.regex(turn?.advice ?? '', /answers, but not in HTTP\. Correct the port.*speaks TLS/);
    });
  }
}

for (const [title, url, advice] of [
  ['no listener on the port', 'http://127.0.0.1:1', /Nothing listens at 127\.0\.0\.1:1\. Start the server/],
  ['plain http to another host', 'http://agent.example.com/', /Begin the URL with https:\/\//],
  ['a private network', 'https://10.0.0.1/', /private network.*GW_AGENT_ALLOWED_HOSTS=10\.0\.0\.1/],
  ['TLS on a port without it', 'https://127.0.0.1:PORT', /does not speak TLS\. Correct the port/],
] as const) {
  test.serial(`webhook: gives advice on ${title}`, async (t) => {
    const port = url.includes('PORT')
      ? new URL(await rawServer(t, 'HTTP/1.1 400 Bad Request\r\n\r\n')).port
      : '';
    const turn = await tryUrl(t, url.replace('PORT', port), { type: 'webhook' });
    t.regex(turn?.advice ?? '', advice);
  });
}

test.serial(
  "masks the token in text that the endpoint repeats, and leaves the gateway's own text unchanged",
  async (t) => {
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
  },
);

// Formats
// Servers of another type than the chosen one.

const ai = { content: '네.', id: 'a', type: 'ai', tool_calls: [] };

/** A complete response of each type; for every other type it has the wrong format. */
const answersOf: Readonly<Record<AgentType, Answer>> = {
  webhook: sendJson({ reply: '네.' }),
  openai_compatible: sse(chunk({ content: '네.' }), chunk({}, 'stop'), '[DONE]'),
  n8n: sendJson({ output: '네.' }),
  langgraph: named(['metadata', { run_id: 'r' }], ['messages/partial', [ai]], ['messages/complete', [ai]]),
  mastra: sse(
    { type: 'text-delta', from: 'AGENT', payload: { id: '1', text: '네.' } },
    { type: 'finish', from: 'AGENT', payload: { stepResult: { reason: 'stop' } } },
    '[DONE]',
  ),
};

/** Pairs that cannot be distinguished: their replies end with the same mark, or are JSON without words. */
const wordless = new Set(['n8n webhook', 'openai_compatible mastra', 'mastra openai_compatible']);

const wrongTypes: Broken[] = agentTypes.flatMap((type) =>
  agentTypes
    .filter((other) => other !== type)
    .map((other) => ({
      type,
      title: `an endpoint that is a server of the type ${other}`,
      answer: answersOf[other],
      kind: wordless.has(`${type} ${other}`) ? ('no_reply' as const) : ('invalid_reply' as const),
      advice: [
        new RegExp(`format of the agent type ${other}, not of ${type}`),
        new RegExp(`Choose ${other};`),
      ],
    })),
);

const anthropicStream = named(
  ['message_start', { type: 'message_start', message: { role: 'assistant' } }],
  ['content_block_delta', { type: 'content_block_delta', delta: { type: 'text_delta', text: '네.' } }],
);
const foreignFormats: Broken[] = [
  {
    type: 'openai_compatible',
    title: 'a streamed reply of Anthropic Messages',
    answer: anthropicStream,
    kind: 'invalid_reply',
    advice: [/Anthropic's Messages/, /OpenAI-compatible address.*LiteLLM or Portkey/],
  },
  {
    type: 'webhook',
    title: 'a complete reply of Anthropic Messages',
    answer: sendJson({ type: 'message', role: 'assistant', content: [{ type: 'text', text: '네.' }] }),
    kind: 'invalid_reply',
    advice: [/Anthropic's Messages/, /bind that as openai_compatible/],
  },
  {
    type: 'openai_compatible',
    title: 'a complete reply of OpenAI Responses',
    answer: sendJson({ object: 'response', output: [{ type: 'message', content: [] }] }),
    kind: 'invalid_reply',
    advice: [/OpenAI's Responses/, /chat URL up to \/v1/],
  },
  {
    type: 'openai_compatible',
    title: 'a streamed reply of OpenAI Responses',
    answer: named(['response.output_text.delta', { type: 'response.output_text.delta', delta: '네.' }]),
    kind: 'invalid_reply',
    advice: [/OpenAI's Responses/, /agent type openai_compatible/],
  },
  {
    type: 'webhook',
    title: "a reply in Google's Gemini format",
    answer: sendJson({ candidates: [{ content: { parts: [{ text: '네.' }] } }] }),
    kind: 'invalid_reply',
    advice: [/Google's Gemini/, /v1beta\/openai/],
  },
  {
    type: 'openai_compatible',
    title: "a reply in Ollama's own format",
    answer: sendJson({ model: 'small', message: { role: 'assistant', content: '네.' }, done: true }),
    kind: 'invalid_reply',
    advice: [/Ollama's own format/, /11434\/v1/],
  },
  {
    type: 'mastra',
    title: 'a stream of the AI SDK for web pages',
    answer: sse({ type: 'start' }, { type: 'text-delta', id: '1', delta: '네.' }, { type: 'finish' }),
    kind: 'no_reply',
    advice: [/AI SDK sends to web pages/, /choose webhook/],
  },
  {
    type: 'webhook',
    title: 'an Anthropic Messages URL',
    path: '/v1/messages',
    answer: error('messages: Field required', 400),
    kind: 'http_error',
    advice: [/By its address.*Anthropic's Messages/, /LiteLLM or Portkey/],
  },
  {
    type: 'webhook',
    title: 'a chat completions URL',
    path: '/v1/chat/completions',
    answer: error("'messages' is a required property", 400),
    kind: 'http_error',
    advice: [/format of the agent type openai_compatible, not of webhook/, /ends before \/chat\/completions/],
  },
  {
    type: 'webhook',
    title: 'a Mastra agent URL',
    path: '/api/agents/weather/stream',
    answer: recorded('mastra', '08b-messages-missing'),
    kind: 'http_error',
    advice: [/format of the agent type mastra/, /base of the server/],
  },
  {
    type: 'webhook',
    title: 'a LangGraph run URL',
    path: '/runs/stream',
    answer: recorded('langgraph', '26b-missing-assistant'),
    kind: 'http_error',
    advice: [/format of the agent type langgraph/, /assistant ID/],
  },
];

testEach([...wrongTypes, ...foreignFormats]);

// Statuses
// The meaning of any server's statuses, tested with webhooks.

const webhooksByStatus: Broken[] = [
  {
    type: 'webhook',
    title: 'an unknown path',
    answer: text('Cannot POST /x', 404),
    kind: 'http_error',
    advice: [/nothing at this path/, /Correct the path/],
  },
  {
    type: 'webhook',
    title: 'a path that rejects POST',
    answer: text('', 405),
    kind: 'http_error',
    advice: [/takes no POST/, /Correct the path/],
  },
  {
    type: 'webhook',
    title: 'a path that is gone (410)',
    answer: text('', 410),
    kind: 'http_error',
    advice: [/removed for good/, /new address/],
  },
  {
    type: 'webhook',
    title: 'a request that is too large',
    answer: text('', 413),
    kind: 'http_error',
    advice: [/too large/, /Raise its limit/],
  },
  {
    type: 'webhook',
    title: 'a server that rejects JSON',
    answer: sendJson({ error: 'Unsupported Media Type' }, 415),
    kind: 'http_error',
    advice: [/does not take JSON.*415/, /read application\/json/],
  },
  {
    type: 'webhook',
    title: 'a WebSocket URL',
    answer: text('Upgrade Required', 426),
    kind: 'http_error',
    advice: [/another protocol, such as a websocket/, /Correct the path or the port/],
  },
  {
    type: 'webhook',
    title: '406 Not Acceptable',
    answer: text('', 406),
    kind: 'http_error',
    advice: [/no answer in a format/, /Let it answer JSON/],
  },
  {
    type: 'webhook',
    title: '408 Request Timeout',
    answer: text('', 408),
    kind: 'http_error',
    advice: [/did not wait/, /Raise its time limit/],
  },
  {
    type: 'webhook',
    title: 'a body with missing fields',
    answer: sendJson({ detail: [{ type: 'missing', loc: ['body', 'prompt'] }] }, 422),
    kind: 'http_error',
    advice: [/wants other keys.*422/, /compare the type/],
  },
  {
    type: 'webhook',
    title: 'a server that cannot parse the body',
    answer: sendJson({ error: 'Unexpected token in JSON' }, 400),
    kind: 'http_error',
    advice: [/cannot read the body/, /Let it read JSON/],
  },
  {
    type: 'webhook',
    title: 'a server error',
    answer: sendJson({ reply: '비밀' }, 500),
    kind: 'http_error',
    advice: [/server itself failed/, /own log/],
  },
  {
    type: 'webhook',
    title: 'a server that is starting',
    answer: sendJson({ status: 'starting' }, 503),
    kind: 'http_error',
    advice: [/cannot answer now \(HTTP 503\)/, /log/],
  },
  {
    type: 'webhook',
    title: 'a maintenance page',
    answer: html('<h1>Service Unavailable</h1> Apache', 503),
    kind: 'http_error',
    advice: [/proxy in front of the agent \(Apache\)/, /Start the agent/],
  },
  {
    type: 'webhook',
    title: 'a proxy with a slow agent',
    answer: text('upstream request timeout envoy', 504),
    kind: 'http_error',
    advice: [/\(Envoy\).*HTTP 504/, /too slow/],
  },
  {
    type: 'webhook',
    title: 'a tunnel without an agent',
    answer: text('ngrok gateway error: ERR_NGROK_8012', 502),
    kind: 'http_error',
    advice: [/\(ngrok\)/, /Start the agent/],
  },
  {
    type: 'webhook',
    title: 'Cloudflare without an origin server',
    answer: text('error code: 521', 521),
    kind: 'http_error',
    advice: [/the agent behind it does not \(HTTP 521\)/, /address to which the proxy hands on/],
  },
  {
    type: 'webhook',
    title: 'an account without credit',
    answer: sendJson({ error: 'Payment required' }, 402),
    kind: 'http_error',
    advice: [/used up its quota \(HTTP 402\)/, /pay the provider/],
  },
  {
    type: 'webhook',
    title: 'plain HTTP to a TLS port',
    answer: text('The plain HTTP request was sent to HTTPS port', 400),
    kind: 'http_error',
    advice: [/Begin the URL/, /https:\/\//],
  },
  {
    type: 'webhook',
    title: 'an unknown HTTP status',
    answer: text('', 418),
    kind: 'http_error',
    advice: [/refuses the request/, /what it answered/],
  },
];

testEach(webhooksByStatus);

// OpenAI-compatible
// Servers of chat completions.

const openai: Broken[] = [
  {
    type: 'openai_compatible',
    title: 'a base URL without /v1',
    answer: sendJson({ detail: 'Not Found' }, 404),
    kind: 'http_error',
    advice: [/no \/chat\/completions at this path/, /add \/v1/],
  },
  {
    type: 'openai_compatible',
    title: 'a wrong path after /v1',
    path: '/llm/v1',
    answer: text('404 page not found', 404),
    kind: 'http_error',
    advice: [/no \/chat\/completions at this path/, /Compare the chat URL/],
  },
  {
    type: 'openai_compatible',
    title: 'an unknown deployment',
    answer: error('The API deployment for this resource does not exist.', 404, {
      code: 'DeploymentNotFound',
    }),
    kind: 'http_error',
    advice: [/misses something else.*deployment/, /Correct that on the server/],
  },
  {
    type: 'openai_compatible',
    title: 'an unknown assistant',
    path: '/v1',
    answer: error('No assistant with the id abc.', 404),
    kind: 'http_error',
    advice: [/answers at this path, and misses something else/, /part of the chat URL that names it/],
  },
  {
    type: 'openai_compatible',
    title: 'an unknown model (vLLM)',
    path: '/v1',
    answer: recorded('openai_compatible', '43-http-404-vllm-model'),
    kind: 'http_error',
    advice: [/wants a "model" key/, /LiteLLM or Portkey/],
  },
  {
    type: 'openai_compatible',
    title: 'an unknown model (FastAPI)',
    path: '/v1',
    answer: recorded('openai_compatible', '44-http-422-fastapi'),
    kind: 'http_error',
    advice: [/wants a "model" key/, /default model/],
  },
  {
    type: 'openai_compatible',
    title: 'an unknown model (OpenAI)',
    path: '/v1',
    answer: error('you must provide a model parameter', 400),
    kind: 'http_error',
    advice: [/wants a "model" key/, /default model/],
  },
  {
    type: 'openai_compatible',
    title: 'a path that rejects POST',
    path: '/v1',
    answer: text('', 405),
    kind: 'http_error',
    advice: [/no \/chat\/completions/, /Compare/],
  },
  {
    type: 'openai_compatible',
    title: 'an exhausted quota',
    path: '/v1',
    answer: error('You exceeded your current quota, please check your plan and billing details.', 429, {
      code: 'insufficient_quota',
    }),
    kind: 'http_error',
    advice: [/used up its quota/, /Waiting does not help/],
  },
  {
    type: 'openai_compatible',
    title: 'a request rate that is too high',
    path: '/v1',
    answer: error('Rate limit reached for requests', 429),
    kind: 'http_error',
    advice: [/limits how often/, /wait/],
  },
  {
    type: 'openai_compatible',
    title: 'a conversation that is too long',
    path: '/v1',
    answer: error("This model's maximum context length is 8192 tokens.", 400, {
      code: 'context_length_exceeded',
    }),
    kind: 'http_error',
    advice: [/conversation is longer than the model takes/, /longer context/],
  },
  {
    type: 'openai_compatible',
    title: 'streaming that is not supported',
    path: '/v1',
    answer: error('stream is not supported for this deployment', 400),
    kind: 'http_error',
    advice: [/refuses to stream/, /Switch streaming on/],
  },
  {
    type: 'openai_compatible',
    title: 'streaming that is not supported (422)',
    path: '/v1',
    answer: error('This endpoint does not support streaming', 422),
    kind: 'http_error',
    advice: [/refuses to stream/, /Switch streaming on/],
  },
  {
    type: 'openai_compatible',
    title: 'a missing provider',
    path: '/v1',
    answer: error('Either x-portkey-config or x-portkey-provider header is required', 400),
    kind: 'http_error',
    advice: [/which provider to use/, /headers of the agent.*default one/],
  },
  {
    type: 'openai_compatible',
    title: 'a server that rejects JSON',
    path: '/v1',
    answer: text('', 415),
    kind: 'http_error',
    advice: [/does not take JSON/, /application\/json/],
  },
  {
    type: 'openai_compatible',
    title: 'different field names',
    path: '/v1',
    answer: sendJson({ detail: [{ type: 'missing', loc: ['body', 'user'] }] }, 422),
    kind: 'http_error',
    advice: [/wants keys that calls do not send/, /names the missing keys/],
  },
  {
    type: 'openai_compatible',
    title: 'an overloaded model server',
    path: '/v1',
    answer: error('Overloaded', 529),
    kind: 'http_error',
    advice: [/HTTP 529|server itself failed/, /log|Start/],
  },
  {
    type: 'openai_compatible',
    title: 'a tool call that the client would have to run',
    answer: recorded('openai_compatible', '29-tool_calls'),
    kind: 'no_reply',
    advice: [/asks for a tool to be run/, /Let the server run its tools/],
  },
  {
    type: 'openai_compatible',
    title: 'reasoning that uses up all tokens',
    answer: sse(chunk({ reasoning_content: '음' }), chunk({}, 'length'), '[DONE]'),
    kind: 'no_reply',
    advice: [/only reasoned/, /more tokens/],
  },
  {
    type: 'openai_compatible',
    title: 'a token limit that is reached before the first word',
    answer: sse(chunk({ content: '' }), chunk({}, 'length'), '[DONE]'),
    kind: 'no_reply',
    advice: [/used up its tokens before it came to words/, /Allow it more/],
  },
  {
    type: 'openai_compatible',
    title: 'a tool call written as text',
    answer: sse(chunk({ content: '[TOOL_CALLS][{"name":"find_order","arguments":{}}]' }, 'stop'), '[DONE]'),
    kind: 'no_reply',
    advice: [/wrote the call of a tool into its text/, /run its tools/],
  },
  {
    type: 'openai_compatible',
    title: 'a sentence cut off by the token limit',
    answer: sse(chunk({ content: '네. 오늘은' }), chunk({}, 'length'), '[DONE]'),
    kind: 'reply_cut_off',
    advice: [/ended within a sentence/, /limit of tokens/],
  },
  {
    type: 'openai_compatible',
    title: 'a stream that ends within a sentence',
    answer: sse(chunk({ content: '네. 오늘은' })),
    kind: 'reply_cut_off',
    advice: [/ended within a sentence/, /end mark/],
  },
  {
    type: 'openai_compatible',
    title: 'an error in the stream',
    answer: sse(chunk({ content: '' }), { error: { message: 'upstream' } }),
    kind: 'agent_reported_error',
    advice: [/reported that it failed/, /log/],
  },
  {
    type: 'openai_compatible',
    title: 'an empty body',
    answer: recorded('openai_compatible', '39-empty-body-200'),
    kind: 'no_reply',
    advice: [/without a reply/, /what it answered/],
  },
  {
    type: 'openai_compatible',
    title: 'a captive portal',
    answer: recorded('openai_compatible', '41-html-200_captive_proxy'),
    kind: 'invalid_reply',
    advice: [/web page/, /Correct the chat URL/],
  },
  {
    type: 'openai_compatible',
    title: 'a stream with only a finish reason',
    answer: sse(chunk({}, 'stop'), '[DONE]'),
    kind: null,
    advice: [/held nothing to speak|chose to say nothing/, /remark|answered/],
  },
];

testEach(openai);

// Webhook
// Webhooks: proxies in front of them, slow and interrupted responses, and response bodies.

const silentWebhooks: Broken[] = [
  {
    type: 'webhook',
    title: 'a Cloudflare challenge page',
    answer: html('<script src="/cdn-cgi/challenge-platform/h/b.js"></script>', 503),
    kind: 'http_error',
    advice: [/protection against robots/, /Let the requests of the gateway pass/],
  },
  {
    type: 'webhook',
    title: 'a firewall',
    answer: html('<h1>Access Denied</h1>Reference #18.2f', 403),
    kind: 'http_error',
    advice: [/firewall in front of .* blocks/, /rule for this path/],
  },
  {
    type: 'openai_compatible',
    title: 'a 403 page without a firewall',
    answer: html('<h1>Forbidden</h1>', 403),
    kind: 'http_error',
    advice: [/wants a token/, /session token that the handshake/],
  },
  {
    type: 'webhook',
    title: 'a missing token',
    answer: sendJson({ error: 'unauthorized' }, 401),
    kind: 'http_error',
    advice: [/wants a token \(HTTP 401\)/, /handshake/],
  },
  {
    type: 'webhook',
    title: 'a wrong token',
    answer: sendJson({ error: 'unauthorized' }, 401),
    request: { token: 'nope', direction: 'outbound', instruction: 'Call' },
    kind: 'http_error',
    advice: [/does not take this bearer token \(HTTP 401\)/, /number's outbound agent/],
  },
  {
    type: 'webhook',
    title: 'a user name and a password',
    answer: (response, asked) =>
      sendBody('', 401, { 'www-authenticate': 'Basic realm="staging"' })(response, asked),
    kind: 'http_error',
    advice: [/user name and a password/, /Let it take a bearer token/],
  },
  {
    type: 'webhook',
    title: 'a redirect to a login',
    answer: redirectTo('https://accounts.example.com/login?next=%2Fchat'),
    kind: 'redirect_refused',
    advice: [
      /to https:\/\/accounts\.example\.com\/login/,
      /page to log in: let the server take the bearer token/,
    ],
  },
  {
    type: 'webhook',
    title: 'a redirect without a target',
    answer: sendBody('', 301),
    kind: 'redirect_refused',
    advice: [/does not say where to/, /Correct the chat URL, or the redirect/],
  },
  {
    type: 'openai_compatible',
    title: 'a slow server without a response',
    answer: stayQuiet,
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/did not answer in time/, /answer faster, or stream/],
  },
  {
    type: 'webhook',
    title: 'a slow webhook',
    answer: stayQuiet,
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [
      /answer of a webhook is there only when it is whole/,
      /answer faster; one that streams is bound by another agent type/,
    ],
  },
  {
    type: 'webhook',
    title: 'a webhook that starts its response and never ends it',
    answer: (response) => void response.writeHead(200).write('{"reply":"네'),
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/did not answer in time/, /answer faster/],
  },
  {
    type: 'openai_compatible',
    title: 'a stream with only keep-alives and no words',
    answer: (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': PROCESSING\n\n'),
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/sent no text in time/, /first words earlier/],
  },
  {
    type: 'n8n',
    title: 'a slow workflow',
    answer: stayQuiet,
    firstTokenMs: 100,
    kind: 'first_token_timeout',
    advice: [/sends nothing before the workflow ends/, /"Streaming"/],
  },
  {
    type: 'webhook',
    title: 'a response that breaks off',
    answer: breakInTheMiddle,
    kind: 'connection_failed',
    advice: [/broke the connection in the middle/, /own log/],
  },
  {
    type: 'webhook',
    title: 'broken compression',
    answer: sendBody('{"reply":"네."}', 200, { 'content-encoding': 'gzip' }),
    kind: 'invalid_reply',
    advice: [/compressed in a way that cannot be read/, /Switch compression off/],
  },
  {
    type: 'webhook',
    title: 'an unknown compression',
    answer: sendBody('{"reply":"네."}', 200, { 'content-encoding': 'squeeze' }),
    kind: 'invalid_reply',
    advice: [/cannot be read/, /Content-Encoding/],
  },
  {
    type: 'webhook',
    title: 'a reply that is far too large',
    answer: sendJson({ reply: 'x'.repeat(300_000) }),
    kind: 'reply_too_large',
    advice: [/larger than a call takes/, /say less/],
  },
  {
    type: 'webhook',
    title: 'a compressed reply that is far too large',
    answer: sendBody(gzipSync(Buffer.alloc(1_000_000, 'x')), 200, { 'content-encoding': 'gzip' }),
    kind: 'reply_too_large',
    advice: [/larger than a call takes/, /say less/],
  },
  // Bodies of a webhook
  {
    type: 'webhook',
    title: 'a reply in a different field',
    answer: sendJson({ answer: '네.', id: 1 }),
    kind: 'invalid_reply',
    advice: [/its fields are: "answer", "id"/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'a reply that is null',
    answer: sendJson({ reply: null }),
    kind: 'invalid_reply',
    advice: [/no text in "reply"/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'a list instead of an object',
    answer: sendJson([{ reply: '네.' }]),
    kind: 'invalid_reply',
    advice: [/not a JSON object/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'plain text instead of JSON',
    answer: text('네.'),
    kind: 'invalid_reply',
    advice: [/not a JSON object/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'a truncated JSON document',
    answer: sendBody('{"reply": "네'),
    kind: 'invalid_reply',
    advice: [/not a JSON object/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'an empty body',
    answer: (response) => void response.writeHead(204).end(),
    kind: 'invalid_reply',
    advice: [/answer is empty/, /\{"reply": "…"\}/],
  },
  {
    type: 'webhook',
    title: 'a silence that the agent chose',
    answer: sendJson({ reply: '' }),
    kind: null,
    advice: [/chose to say nothing/, /what it answered/],
  },
  {
    type: 'webhook',
    title: 'a reply that is only an emoji',
    answer: sendJson({ reply: '👍' }),
    kind: 'no_reply',
    advice: [/nothing that can be spoken/, /answer in words/],
  },
  {
    type: 'webhook',
    title: 'a tool call written as text',
    answer: sendJson({ reply: '<tool_call>{"name":"find_order","arguments":{}}</tool_call>' }),
    kind: 'no_reply',
    advice: [/wrote the call of a tool into its text/, /run its tools/],
  },
];

testEach(silentWebhooks);
