/** Advice after a failed trial, by kind of agent. */
import test from 'ava';
import { advice, advises, type Given, recorded, webhook } from './advice/advised.ts';

// Any server
// Advice about webhooks, and about the connection to any server.

test(
  'webhook: gives advice on a reply in a different field',
  advises,
  { ...webhook, failure: 'invalid_reply', answers: [{ status: 200, body: '{"text":"Hi"}' }] },
  /no text in "reply"; its fields are: "text"/,
);

test(
  'webhook: gives advice on a reply that is not JSON',
  advises,
  { ...webhook, failure: 'invalid_reply', answers: [{ status: 200, body: 'Hi' }] },
  /not a JSON object/,
);

/** Connection failures, the same for every type. */
const ways: [string, Partial<Given>, RegExp][] = [
  [
    'no listener',
    { failure: 'connection_failed', detail: 'ECONNREFUSED' },
    /Nothing listens at agent\.internal:8443/,
  ],
  [
    'an unknown name',
    { failure: 'connection_failed', detail: 'ENOTFOUND' },
    /name agent\.internal is not known/,
  ],
  ['a name without addresses', { failure: 'connection_failed', detail: 'ENODATA' }, /has no address/],
  ['an unreachable name server', { failure: 'connection_failed', detail: 'ETIMEOUT' }, /name servers/],
  ['too many trials', { failure: 'over_capacity' }, /Too many trials/],
  ['no route', { failure: 'connection_failed', detail: 'EHOSTUNREACH' }, /no way to agent\.internal:8443/],
  ['closed at once', { failure: 'connection_failed', detail: 'UND_ERR_SOCKET' }, /without an answer/],
  [
    'broken off',
    { failure: 'connection_failed', detail: 'UND_ERR_SOCKET', answers: [{ status: 200, body: '{' }] },
    /in the middle/,
  ],
  ['no connection in time', { failure: 'connect_timeout' }, /firewall/],
  ['a redirect', { failure: 'redirect_refused', detail: 'HTTP 302' }, /redirect \(HTTP 302\)/],
  [
    'a private name',
    { failure: 'target_refused', detail: 'the host is at an address that may not be called' },
    /GW_AGENT_ALLOWED_HOSTS=agent\.internal.*GW_AGENT_CA_FILE.*GW_AGENT_ALLOW_LOOPBACK/,
  ],
  [
    'plain http',
    { url: 'http://agent.internal', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /Begin the URL with https:\/\//,
  ],
  [
    'this machine',
    { url: 'http://localhost:9000', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /GW_AGENT_ALLOW_LOOPBACK=1/,
  ],
  [
    'an invalid URL',
    { failure: 'target_refused', detail: 'The URL must not contain a fragment (the part from # on).' },
    /fragment/,
  ],
  ['an expired certificate', { failure: 'tls_failed', detail: 'CERT_HAS_EXPIRED' }, /expired/],
  [
    'a certificate for another name',
    { failure: 'tls_failed', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    /another name/,
  ],
  [
    'a private certificate authority',
    { failure: 'tls_failed', detail: 'SELF_SIGNED_CERT_IN_CHAIN' },
    /GW_AGENT_CA_FILE/,
  ],
  ['no TLS there', { failure: 'tls_failed', detail: 'ERR_SSL_WRONG_VERSION_NUMBER' }, /does not speak TLS/],
  ['another TLS failure', { failure: 'tls_failed', detail: 'ERR_SSL_TLSV1_ALERT' }, /ERR_SSL_TLSV1_ALERT/],
  ['no response in time', { failure: 'first_token_timeout' }, /did not answer in time/],
  ['no end', { failure: 'reply_timeout' }, /did not end in time/],
  ['too large', { failure: 'reply_too_large' }, /larger than a call takes/],
  ['no POST', { answers: [{ status: 405, body: '' }] }, /no POST/],
  ['an unknown path', { answers: [{ status: 404, body: '' }] }, /nothing at this path/],
  ['a server error', { answers: [{ status: 500, body: '' }] }, /server itself failed/],
  [
    'http to a TLS port',
    { answers: [{ status: 400, body: 'The plain HTTP request was sent to HTTPS port' }] },
    /https/,
  ],
  [
    'an empty reply',
    { failure: null, answers: [{ status: 200, body: '{"reply":""}' }] },
    /chose to say nothing/,
  ],
];

for (const [name, given, expected] of ways)
  test(`any type: gives advice on ${name}`, advises, { ...webhook, ...given }, expected);

test('gives no advice on a successful reply', (t) => {
  for (const [type, server] of [
    ['n8n', 'n8n'],
    ['mastra', 'mastra'],
    ['openai_compatible', 'openai_compatible'],
    ['langgraph', 'langgraph'],
  ] as const) {
    const name = {
      n8n: '02a-lastNode-code',
      mastra: '02a-voiceAssistant',
      openai_compatible: '01-normal',
      langgraph: '02a-agent-turn1',
    }[server];
    t.is(
      advice({
        type,
        url: 'https://agent.example.com',
        failure: null,
        spoken: '네',
        answers: [recorded(server, name)],
      }),
      '',
    );
  }
});

// OpenAI-compatible
// Advice about servers of chat completions.

const openai = { type: 'openai_compatible', url: 'http://127.0.0.1:8000/v1' } as const;

for (const answer of [
  recorded('openai_compatible', '43-http-404-vllm-model'),
  recorded('openai_compatible', '44-http-422-fastapi'),
  {
    status: 400,
    body: '{"error":{"message":"you must provide a model parameter","type":"invalid_request_error"}}',
  },
  { status: 400, body: '{"error":{"message":"model is required"}}' },
]) {
  test(
    `openai_compatible: gives advice on a missing model name (${answer.status} ${answer.body.slice(0, 60)})`,
    advises,
    { ...openai, answers: [answer] },
    /"model" key/,
  );
}

test(
  'openai_compatible: gives advice on a base URL without /v1',
  advises,
  {
    type: 'openai_compatible',
    url: 'http://127.0.0.1:8000',
    answers: [{ status: 404, body: '{"detail":"Not Found"}' }],
  },
  /add \/v1/,
);

for (const [url, expected] of [
  ['https://agent.internal/chat/completions', /add \/v1 before \/chat\/completions/],
  ['https://agent.internal/v1/chat/completions', /at this path\. Compare the chat URL with the base URL/],
  [
    'https://agent.internal/v1/chat/completions/?key=1',
    /at this path\. Compare the chat URL with the base URL/,
  ],
] as const)
  test(
    `openai_compatible: gives advice on the unknown path ${url}`,
    advises,
    { type: 'openai_compatible', url, answers: [{ status: 404, body: '{"detail":"Not Found"}' }] },
    expected,
  );

test(
  'openai_compatible: gives advice on another wrong path',
  advises,
  { ...openai, answers: [{ status: 404, body: 'Not Found' }] },
  /no \/chat\/completions at this path/,
);

test(
  'openai_compatible: gives advice on a gateway without a provider',
  advises,
  { ...openai, answers: [recorded('openai_compatible', 'portkey-13-no-provider-header')] },
  /x-portkey-provider.*headers of the agent.*default one/,
);

const azure = {
  type: 'openai_compatible',
  url: 'https://mine.openai.azure.com/openai/deployments/front-desk?api-version=2024-10-21',
} as const;
const azureRefusal =
  '{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."}}';

test(
  'Azure OpenAI: gives advice on a missing key',
  advises,
  { ...azure, token: 'a-key', answers: [{ status: 401, body: azureRefusal }] },
  /add api-key to the headers of the agent/,
);

test(
  'Azure OpenAI: gives advice on a wrong key on a custom domain',
  advises,
  {
    ...azure,
    url: 'https://llm.example.com/front-desk',
    headers: { 'api-key': 'a-key-of-another' },
    answers: [{ status: 401, body: azureRefusal }],
  },
  /does not take the api-key that was sent/,
);

const noResource = { status: 404, body: '{"error":{"code":"404","message":"Resource not found"}}' };

for (const url of [
  'https://mine.openai.azure.com',
  'https://mine.openai.azure.com/openai/deployments/front-desk',
  'https://mine.cognitiveservices.azure.com/openai',
])
  test(
    `Azure OpenAI: gives advice on ${url}`,
    advises,
    { ...azure, url, answers: [noResource] },
    /names the deployment and the version of the API/,
  );

test(
  'Azure OpenAI: gives advice on an API that requires the model',
  advises,
  {
    ...azure,
    url: 'https://mine.openai.azure.com/openai/v1',
    answers: [{ status: 400, body: '{"error":{"message":"Missing required parameter: model"}}' }],
  },
  /names the deployment and the version of the API/,
);

test(
  'Azure OpenAI: gives advice on an unknown deployment',
  advises,
  {
    ...azure,
    answers: [
      {
        status: 404,
        body: '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}',
      },
    ],
  },
  /no deployment of this name/,
);

test(
  'gives advice on a server that names the header for its key',
  advises,
  { ...webhook, answers: [{ status: 401, body: '{"message":"Missing X-Api-Key header"}' }] },
  /wants a key in the header x-api-key.*add x-api-key to the headers of the agent/,
);

test(
  'gives advice on a server that rejects the header with its key',
  advises,
  {
    ...webhook,
    headers: { 'x-api-key': 'wrong' },
    answers: [{ status: 403, body: '{"message":"X-Api-Key is not known"}' }],
  },
  /does not take the x-api-key that was sent/,
);

test(
  'openai_compatible: gives advice on a tool call that the server did not execute',
  advises,
  { ...openai, failure: null, answers: [recorded('openai_compatible', '29-tool_calls')] },
  /run its tools/,
);

test(
  'openai_compatible: gives advice on a web page as the reply',
  advises,
  {
    ...openai,
    failure: 'invalid_reply',
    answers: [recorded('openai_compatible', '41-html-200_captive_proxy')],
  },
  /web page/,
);

test(
  'openai_compatible: gives advice on too many requests',
  advises,
  { ...openai, answers: [recorded('openai_compatible', '42-http-429-json')] },
  /limits how often/,
);

// LangGraph
// Advice about servers of LangGraph.

const langgraph = { type: 'langgraph', url: 'http://127.0.0.1:2024' } as const;

const run = '/threads/5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f/runs/stream';

const thread = { ...recorded('langgraph', '01a-thread-create'), path: '/threads' };

test(
  'langgraph: gives advice on an unknown assistant',
  advises,
  { ...langgraph, answers: [thread, { ...recorded('langgraph', '07-unknown-assistant'), path: run }] },
  /no assistant "graph".*langgraph\.json/,
);

test(
  'langgraph: gives advice on an assistant unknown to a Python server',
  advises,
  {
    ...langgraph,
    answers: [
      thread,
      { status: 422, path: run, body: `{"detail":"Invalid assistant: 'x'. Must be either:"}` },
    ],
  },
  /no assistant "graph"/,
);

test(
  'langgraph: gives advice on a missing assistant ID',
  advises,
  {
    ...langgraph,
    binding: { assistantId: null },
    answers: [{ ...recorded('langgraph', '26b-missing-assistant'), path: run }],
  },
  /no assistant ID/,
);

test(
  'langgraph: gives advice on extra path segments',
  advises,
  {
    type: 'langgraph',
    url: 'http://127.0.0.1:2024/api',
    answers: ['/threads', run].map((path) => ({
      ...recorded('langgraph', '26e-base-path-mistake'),
      path,
    })),
  },
  /does not know \/api\/threads.*base/,
);

test(
  'langgraph: gives advice on a server that is not LangGraph',
  advises,
  { ...langgraph, answers: [{ ...recorded('langgraph', '26d-unknown-path'), path: run }] },
  /port 2024/,
);

test(
  'langgraph: gives advice on a busy thread, even if the run was cancelled at last',
  advises,
  {
    ...langgraph,
    answers: [
      thread,
      { ...recorded('langgraph', '20b-concurrent-second-rejected'), path: run },
      { status: 404, body: 'Run not found', path: '/threads/x/runs/y/cancel' },
    ],
  },
  /thread is busy/,
);

test(
  'langgraph: gives advice on a missing key for LangGraph Cloud',
  advises,
  {
    ...langgraph,
    answers: [{ status: 403, body: '{"detail":"Missing authentication headers"}', path: run }],
  },
  /x-api-key: add x-api-key to the headers of the agent/,
);

test(
  'langgraph: gives advice on a wrong key for LangGraph Cloud',
  advises,
  {
    ...langgraph,
    headers: { 'x-api-key': 'lsv2-of-another-workspace' },
    answers: [{ status: 403, body: '{"detail":"Invalid token"}', path: run }],
  },
  /does not take the x-api-key that was sent/,
);

test(
  'langgraph: gives advice on an interrupt with a message',
  advises,
  {
    ...langgraph,
    failure: null,
    answers: [thread, { ...recorded('langgraph', 'SYNTHETIC-python-interrupt'), path: run }],
  },
  /waits for a person/,
);

test(
  'langgraph: gives advice on a run without text',
  advises,
  { ...langgraph, failure: null, answers: [thread, { ...recorded('langgraph', '12-interrupt'), path: run }] },
  /without an AI message.*interrupt\(\)/,
);

test(
  'langgraph: gives advice on a failed node',
  advises,
  { ...langgraph, failure: 'agent_reported_error', answers: [thread] },
  /node of the graph failed/,
);

test(
  'langgraph: gives advice on a run that starts late',
  advises,
  { ...langgraph, failure: 'first_token_timeout', answers: [{ status: 200, body: '', path: run }] },
  /ten runs at a time/,
);

// Mastra
// Advice about servers of Mastra.

const mastra = { type: 'mastra', url: 'http://127.0.0.1:4111' } as const;

test(
  'mastra: gives advice on an agent ID in the wrong case, outbound',
  advises,
  {
    ...mastra,
    binding: { direction: 'outbound', agentId: 'voiceassistant' },
    answers: [recorded('mastra', '07b-agent-name-wrong-case')],
  },
  /no agent "voiceassistant".*same case/,
);

test(
  'mastra: gives advice on a missing voiceAssistant, inbound',
  advises,
  { ...mastra, answers: [recorded('mastra', 'old-v0.24.9-08-unknown-agent')] },
  /no agent "nope".*go to voiceAssistant/,
);

test(
  'mastra: gives advice on a wrong path',
  advises,
  { type: 'mastra', url: 'http://127.0.0.1:4111/x', answers: [recorded('mastra', '08e-unknown-path')] },
  /no Mastra server at this path/,
);

for (const name of [
  '13f-stream-with-v1-model',
  'old-v0.24.9-06-stream-v1-model',
  'old-v0.18.0-newModel-stream',
]) {
  test(
    `mastra: gives advice on a model that does not fit the server's version (${name})`,
    advises,
    { ...mastra, answers: [recorded('mastra', name)] },
    /AI SDK 5/,
  );
}

for (const name of ['old-v0.18.0-voiceAssistant-stream', 'old-v0.24.9-03-stream-vnext']) {
  test(
    `mastra: gives advice on an old version that replied (${name})`,
    advises,
    { ...mastra, failure: null, spoken: '네', answers: [recorded('mastra', name)] },
    /runtimeContext.*Update Mastra/,
  );
}

test(
  'mastra: gives advice on a reply stopped by a guardrail',
  advises,
  { ...mastra, failure: 'agent_reported_error', answers: [recorded('mastra', '16b-tripwire')] },
  /guardrail/,
);

test(
  'mastra: gives advice on a failed model',
  advises,
  {
    ...mastra,
    failure: 'agent_reported_error',
    answers: [recorded('mastra', '06c-model-throws-before-token')],
  },
  /model/,
);

test(
  'mastra: gives advice on a missing token',
  advises,
  { ...mastra, answers: [recorded('mastra', '15c-auth-no-header')] },
  /wants a token.*handshake/,
);

test(
  'mastra: gives advice on a wrong token',
  advises,
  {
    ...mastra,
    token: 'x',
    binding: { direction: 'outbound' },
    answers: [recorded('mastra', '15b-auth-bad-token')],
  },
  /does not take this bearer token.*outbound agent/,
);

// n8n
// Advice about n8n workflows.

const n8n = { type: 'n8n', url: 'https://n8n.example.com/webhook/out/chat' } as const;

test(
  'n8n: gives advice on an inactive workflow',
  advises,
  { ...n8n, answers: [recorded('n8n', '05a-inactive-workflow')] },
  /Activate/,
);

test(
  'n8n: gives advice on a trigger that is not public',
  advises,
  { ...n8n, answers: [recorded('n8n', '05c-not-public')] },
  /Publicly Available/,
);

test(
  'n8n: gives advice on a URL without /chat',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/webhook/out',
    answers: [recorded('n8n', '05g-base-url-without-chat')],
  },
  /ends with \/chat/,
);

test(
  'n8n: gives advice on the test URL',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/webhook-test/out/chat',
    answers: [recorded('n8n', '05i-test-url')],
  },
  /test URL/,
);

test(
  'n8n: gives advice on a bearer token for a trigger that requires a login',
  advises,
  { ...n8n, token: 'x', answers: [recorded('n8n', '05e-basicAuth-bearer-sent')] },
  /does not understand bearer tokens/,
);

test(
  'n8n: gives advice on a failed node',
  advises,
  { ...n8n, answers: [recorded('n8n', '04a-node-error-lastNode')] },
  /executions/,
);

test(
  'n8n: gives advice on the response mode "Using Response Nodes"',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '03h-responseNodes-mode')] },
  /Using Response Nodes.*When Last Node Finishes/,
);

test(
  'n8n: gives advice on the response mode "immediately"',
  advises,
  {
    ...n8n,
    failure: 'no_reply',
    answers: [{ status: 200, body: '{"message":"Workflow was started"}' }],
  },
  /Immediately/,
);

test(
  'n8n: gives advice on streaming without a streaming node',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '06c-streaming-mode-code-node')] },
  /empty body.*Streaming/,
);

test(
  'n8n: gives advice on a reply in an unknown field',
  advises,
  { ...n8n, failure: 'no_reply', answers: [recorded('n8n', '02f-lastNode-unknown-field')] },
  /its fields are: "answer", "foo"/,
);

test(
  'n8n: gives advice on a slow workflow',
  advises,
  { ...n8n, failure: 'first_token_timeout' },
  /Streaming/,
);

test(
  'n8n: gives advice on the editor URL',
  advises,
  {
    type: 'n8n',
    url: 'https://n8n.example.com/workflow/x',
    failure: 'invalid_reply',
    answers: [{ status: 200, body: '<!DOCTYPE html><html>' }],
  },
  /editor/,
);

// Built-in agent

test(
  'builtin: advice on a rejected request names the format of the model server',
  advises,
  {
    ...webhook,
    binding: { agent: 'builtin', agentType: null, chatUrl: null },
    answers: [{ status: 422, body: '{"detail":"unknown field"}' }],
  },
  /exactly the body of chat completions/,
);
