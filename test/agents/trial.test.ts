/** Trials of agents: requests, results and types of servers. */
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { agentTimes, replyLimits } from '#config/policy.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import { turnReport } from '#src/agents/trial/report.ts';
import { systemClock } from '#src/clocks.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { TrialRequest, TriedTurn } from '#src/domain/agent-trial.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import {
  after,
  type Answer,
  breakInTheMiddle,
  hangUpConnection,
  redirectTo,
  sendBody,
  sendJson,
  sendReply,
  startAgentServer,
  stayQuiet,
} from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { type ModelAnswer, startModelServer } from '#test/helpers/model-server.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

// Trial

const asked = (request: Partial<TrialRequest> & { chatUrl: string | null }): TrialRequest => ({
  agentType: 'webhook',
  assistantId: null,
  agentId: null,
  controls: 'off',
  model: null,
  prompt: null,
  tools: null,
  token: null,
  headers: {},
  direction: 'inbound',
  language: 'en',
  instruction: null,
  say: ['Hello'],
  ...request,
});

const tryWith = async (
  t: ExecutionContext,
  answers: Answer | readonly Answer[],
  request: Partial<TrialRequest> = {},
  times: { firstTokenMs?: number } = {},
) => {
  const server = await startAgentServer(answers);
  t.teardown(() => server.close());
  const { wholeTrialMs, ...replyTimes } = { ...agentTimes, ...times };
  const tryAgent = createTryAgent({
    ...endpointWorld(t),
    times: replyTimes,
    wholeTrialMs,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  });
  const seen: TriedTurn[] = [];
  const trial = await tryAgent(asked({ chatUrl: server.url, ...request }), (turn) => seen.push(turn));
  t.deepEqual(seen, trial.turns);
  return { server, trial, turn: trial.turns.at(-1) };
};

test.serial('runs an inbound conversation turn by turn and records everything', async (t) => {
  const { server, trial } = await tryWith(
    t,
    [sendReply('Good morning. How can I help?'), sendReply('Bye.')],
    {
      say: ['Hello', 'Nothing'],
    },
  );
  t.like(trial, { agentType: 'webhook', direction: 'inbound', language: 'en', ok: true, notes: [] });
  t.deepEqual(
    trial.turns.map(({ turn, message, spoken }) => [turn, message, spoken.map(({ text }) => text)]),
    [
      [1, 'Hello', ['Good morning.', 'How can I help?']],
      [2, 'Nothing', ['Bye.']],
    ],
  );
  const [first] = trial.turns;
  const [exchange] = first?.exchanges ?? [];
  const [request] = server.requests;
  t.is(exchange?.sent.body, request?.body);
  t.like(exchange?.sent, { method: 'POST', url: server.url });
  t.like(JSON.parse(exchange?.sent.body ?? ''), {
    call_id: trial.callId,
    message: 'Hello',
    gw: { direction: 'inbound', from: '01000000001', to: '07000000000', language: 'en' },
  });
  t.like(exchange?.received, {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"reply":"Good morning. How can I help?"}',
    bytes: 41,
  });
  t.is(exchange?.error, null);
  t.like(first, { remarks: [], failure: null, advice: null });
});

test.serial("begins an outbound conversation with the kickoff, from the number's own number", async (t) => {
  const { trial } = await tryWith(t, sendReply('Hello.'), {
    direction: 'outbound',
    instruction: 'Book a table\nfor two',
    say: ['Yes?'],
    ownNumber: '0212345678',
  });
  t.deepEqual(
    trial.turns.map(({ message }) => message),
    [kickoffFor('Book a table\nfor two'), 'Yes?'],
  );
  t.like(JSON.parse(trial.turns[0]?.exchanges[0]?.sent.body ?? ''), {
    gw: { direction: 'outbound', from: '0212345678', to: '01000000001' },
  });
});

test.serial('measures times from the start of the turn, in order', async (t) => {
  const { turn } = await tryWith(t, after(30, sendReply('One. Two.')));
  const exchange = turn?.exchanges[0];
  const times = [
    0,
    exchange?.sent.atMs ?? NaN,
    turn?.firstByteMs ?? NaN,
    turn?.firstSentenceMs ?? NaN,
    turn?.spoken[1]?.atMs ?? NaN,
    turn?.endMs ?? NaN,
  ];
  t.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  t.true((turn?.firstByteMs ?? 0) >= 29);
  t.is(exchange?.received?.firstByteMs, turn?.firstByteMs);
});

test.serial('sends the token but shows it nowhere, even if the server repeats it', async (t) => {
  const token = 'hush-hush-1';
  const { server, trial } = await tryWith(
    t,
    sendBody(JSON.stringify({ reply: `You sent ${token}.` }), 200, {
      'x-echo': token,
      'set-cookie': 'session=1',
    }),
    { token },
  );
  t.is(server.requests[0]?.headers.authorization, `Bearer ${token}`);
  t.is(trial.turns[0]?.exchanges[0]?.sent.headers['Authorization'], 'Bearer ••••');
  t.false(JSON.stringify(trial).includes(token));
  t.false(JSON.stringify(trial).includes('session=1'));
  t.deepEqual(
    trial.turns[0]?.spoken.map(({ text }) => text),
    ['You sent ••••.'],
  );
});

test.serial('sends custom headers and shows only their names', async (t) => {
  const key = 'hush-"hush"-1';
  const headers = { 'x-api-key': key, 'x-debug': 'true' };
  const echo = { 'x-echo': key };
  const spoken = await tryWith(t, sendBody(JSON.stringify({ reply: `You sent ${key}.` }), 200, echo), {
    headers,
  });
  t.like(spoken.server.requests[0]?.headers, headers);
  t.like(spoken.turn?.exchanges[0]?.sent.headers, { 'x-api-key': '••••', 'x-debug': '••••' });
  t.deepEqual(
    spoken.turn?.spoken.map(({ text }) => text),
    ['You sent ••••.'],
  );
  const refusal = JSON.stringify({ error: `Unknown key ${key}`, ok: true });
  const refused = await tryWith(t, sendBody(refusal, 401, echo), { headers });
  t.regex(refused.turn?.failure?.serverSays ?? '', /Unknown key ••••.*true/);
  const redirected = await tryWith(t, redirectTo(`https://elsewhere.example.com/?key=${key}`), { headers });
  t.is(redirected.turn?.failure?.kind, 'redirect_refused');
  const other = await tryWith(t, sendJson({ [key]: 'Hi' }), { headers });
  t.regex(other.turn?.advice ?? '', /its fields are: "••••"/);
  // A long token is cut at the end of the shown part of a body.
  const long = 'key-'.repeat(1_024);
  const cut = await tryWith(t, sendBody(`Unknown key ${long}`, 401), { headers: { 'x-api-key': long } });
  for (const { trial } of [spoken, refused, redirected, other, cut]) {
    t.notRegex(JSON.stringify(trial), /hush|key-key-/);
    for (const turn of trial.turns) t.notRegex(turnReport(turn), /hush|key-key-/);
  }
});

test.serial('stops at the first failed turn and gives advice', async (t) => {
  const { server, trial, turn } = await tryWith(t, sendJson({ text: 'Hi' }), { say: ['One', 'Two'] });
  t.is(server.requests.length, 1);
  t.false(trial.ok);
  t.like(turn, { spoken: [], firstSentenceMs: null, failure: { kind: 'invalid_reply' } });
  t.regex(turn?.advice ?? '', /its fields are: "text"/);
});

test.serial("shows the server's text of an error status", async (t) => {
  const { turn } = await tryWith(t, sendBody('no such path', 404));
  t.like(turn, {
    failure: { kind: 'http_error', detail: 'HTTP 404', serverSays: 'no such path' },
    exchanges: [{ received: { status: 404, body: 'no such path' } }],
  });
  t.regex(turn?.advice ?? '', /Correct the path/);
});

test.serial('reports a chosen silence as neither a failure nor a reply', async (t) => {
  const { trial, turn } = await tryWith(t, sendReply(''));
  t.false(trial.ok);
  t.like(turn, { failure: null, spoken: [] });
  t.regex(turn?.advice ?? '', /say nothing/);
});

test.serial('does not accept text without speakable characters as a reply', async (t) => {
  const { turn } = await tryWith(t, sendReply('🙂'));
  t.like(turn, {
    failure: { kind: 'no_reply', detail: 'the reply has text, and none of it can be spoken' },
    spoken: [],
  });
  t.regex(turn?.advice ?? '', /words/);
});

test.serial('reports a redirect and an interrupted reply by name', async (t) => {
  const redirected = await tryWith(t, redirectTo('https://elsewhere.example.com/'));
  t.like(redirected.turn, {
    failure: { kind: 'redirect_refused' },
    exchanges: [
      {
        received: { status: 302, headers: { location: 'https://elsewhere.example.com/' } },
        error: 'redirect_refused: HTTP 302',
      },
    ],
  });
  t.regex(redirected.turn?.advice ?? '', /to https:\/\/elsewhere\.example\.com\/, .*Use the address/);
  const broken = await tryWith(t, breakInTheMiddle);
  t.like(broken.turn, {
    failure: { kind: 'connection_failed' },
    exchanges: [{ received: { body: '{"reply": "Hel' } }],
  });
  t.regex(broken.turn?.exchanges[0]?.error ?? '', /^connection_failed/);
});

test.serial('applies the same time limits as a call', async (t) => {
  const { turn } = await tryWith(t, stayQuiet, { token: 'hush-hush' }, { firstTokenMs: 30 });
  t.like(turn, {
    failure: { kind: 'first_token_timeout' },
    exchanges: [{ received: null, error: 'given up by the gateway' }],
  });
});

test.serial('limits the time of the whole trial', async (t) => {
  const server = await startAgentServer([sendReply('One.'), stayQuiet]);
  t.teardown(() => server.close());
  let expire: () => void = () => undefined;
  const { wholeTrialMs: _limit, ...times } = agentTimes;
  const trying = createTryAgent({
    ...endpointWorld(t),
    clock: {
      ...systemClock,
      setTimeout(callback, milliseconds) {
        if (milliseconds !== 123_456) return systemClock.setTimeout(callback, milliseconds);
        expire = callback;
        return undefined;
      },
    },
    times,
    wholeTrialMs: 123_456,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  })(asked({ chatUrl: server.url, say: ['1', '2', '3'] }));
  await server.received(2);
  expire();
  const { turns } = await trying;
  t.is(turns.length, 2);
  t.like(turns[1], {
    failure: { kind: 'reply_timeout', detail: 'the time for the whole trial is up' },
    exchanges: [{ error: 'given up by the gateway' }],
  });
});

test.serial('omits fields that the binding does not store, and reports them', async (t) => {
  const { trial } = await tryWith(t, sendReply('Hi.'), { agentId: 'support', assistantId: 'graph' });
  t.deepEqual(trial.notes, [
    'The agent ID is not used: webhook has none.',
    'The assistant ID is not used: webhook has none.',
  ]);
});

test.serial('truncates a large response body in the report', async (t) => {
  const { turn } = await tryWith(t, sendReply('가'.repeat(5_000)));
  const received = turn?.exchanges[0]?.received;
  t.is(received?.bytes, 15_012);
  t.is(received?.body, `{"reply":"${'가'.repeat(1_362)}`);
});

test.serial('escapes control characters in the report', async (t) => {
  const { turn, server } = await tryWith(t, sendBody('{"reply": "Hi.\\n\\nThere."}\r\n\u001b[2J\u202e', 500));
  const text = turn === undefined ? '' : turnReport(turn);
  t.true(text.includes(`→ POST ${server.url}`));
  t.true(text.includes('← 500'));
  t.true(text.includes('Failed: http_error, HTTP 500'));
  t.true(text.includes('What to change: The server itself failed (HTTP 500).'));
  t.true(text.includes('\\u001b[2J\\u202e'));
  // oxlint-disable-next-line no-control-regex -- asserts that there are no control characters
  t.notRegex(text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
});

test.serial('shows controls where they occur in the reply and reports invalid ones', async (t) => {
  const reply = sendReply('One.<keys press="1#"/><language tag="ko"/><language tag="xx"/> Bye.<hangup/>');
  const { turn, trial } = await tryWith(t, reply, { controls: 'inline' });
  t.true(trial.ok);
  t.deepEqual(
    turn?.spoken.map(({ text }) => text),
    ['One.', 'Bye.'],
  );
  const [pressing, changing, ending] = turn?.controls ?? [];
  t.like(pressing, { act: 'press_keys', keys: '1#' });
  t.deepEqual([changing?.act, ending?.act], ['change_language', 'hang_up']);
  t.regex(turn?.remarks.join('') ?? '', /^a control "language" is wrong/);
  t.regex(
    turn === undefined ? '' : turnReport(turn),
    /Acts[^]*presses 1#\n.*goes on in the language ko\n.*hangs up\n/,
  );
});

test.serial('reports the targets and options of transfers', async (t) => {
  const reply = sendReply('One moment.<transfer to="0212345678" mode="warm" accept_key="1"/>');
  const { turn } = await tryWith(t, reply, { controls: 'inline' });
  t.like(turn?.controls[0], { act: 'transfer', transfer: { to: '0212345678', acceptKey: '1' } });
  t.regex(
    turn === undefined ? '' : turnReport(turn),
    /transfers to 0212345678, warm, taken by 1, rings for 25 s\n/,
  );
});

test.serial('masks a token that the server repeats in a control', async (t) => {
  const reply = sendReply('One moment.<transfer to="0212345678" say="secret-1" briefing="secret-1?"/>');
  const { turn } = await tryWith(t, reply, { controls: 'inline', token: 'secret-1' });
  t.like(turn?.controls[0], { transfer: { say: '••••', briefing: '••••?' } });
  t.notRegex(JSON.stringify(turn), /secret-1/);
});

test.serial('accepts a reply of controls without words', async (t) => {
  const listed = sendJson({ reply: '', controls: [{ hangup: {} }] });
  const { trial, turn } = await tryWith(t, listed, { controls: 'inline' });
  t.true(trial.ok);
  t.is(turn?.advice, null);
  t.false((await tryWith(t, listed)).trial.ok);
});

// Trial types
// Trials of all agent types, against servers that respond with recorded bytes of real ones.

type Server = Parameters<typeof recordedReplies>[0];

const recorded = (server: Server, name: string) => {
  const found = recordedReplies(server).find((reply) => reply.name === name);
  if (found === undefined) throw new Error(`There is no recorded reply ${name}`);
  return found;
};

const answering = (server: Server, name: string): Answer => {
  const { response, bytes } = recorded(server, name);
  const { 'transfer-encoding': _coding, ...headers } = response.headers;
  return (answer) => {
    answer.writeHead(response.status, headers).end(bytes);
  };
};

const tryRecorded = async (
  t: ExecutionContext,
  agentType: Exclude<AgentType, 'webhook'>,
  { answer, path = '', ...request }: { answer: string; path?: string } & Partial<TrialRequest>,
) => {
  const main = answering(agentType, answer);
  const thread = answering('langgraph', '01a-thread-create');
  const isThread = (asked: string): boolean => asked === '/threads';
  const server = await startAgentServer((response, asked) =>
    (isThread(asked.path) ? thread : main)(response, asked),
  );
  t.teardown(() => server.close());
  const { wholeTrialMs, ...times } = agentTimes;
  const trial = await createTryAgent({
    ...endpointWorld(t),
    times,
    wholeTrialMs,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  })({
    agentType,
    chatUrl: `${server.url}${path}`,
    assistantId: agentType === 'langgraph' ? 'agent' : null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
    token: null,
    headers: {},
    direction: 'inbound',
    language: 'ko',
    instruction: null,
    say: ['안녕하세요'],
    ...request,
  });
  return { server, trial, turn: trial.turns[0] };
};

const bare = (text: string): string => text.replaceAll(/\s+/g, '');

for (const [agentType, answer, path] of [
  ['openai_compatible', 'portkey-01-anthropic-text', '/chat/completions'],
  ['n8n', '06a-streaming-agent', '/webhook/x/chat'],
  ['langgraph', '04-tools-messages', '/runs/stream'],
  ['mastra', '04-tool-call', '/api/agents/voiceAssistant/stream'],
] as const) {
  test.serial(`${agentType}: shows the spoken text and the sent request`, async (t) => {
    const { trial, turn } = await tryRecorded(t, agentType, {
      answer,
      path: agentType === 'n8n' ? path : '',
    });
    t.true(trial.ok, JSON.stringify(trial));
    t.is(
      bare(turn?.spoken.map(({ text }) => text).join('') ?? ''),
      bare(recorded(agentType, answer).expect.spoken ?? ''),
    );
    const last = turn?.exchanges.at(-1);
    t.true(last?.sent.url.endsWith(path), last?.sent.url);
    t.like(last, { received: { status: 200 }, error: null });
    t.is(turn?.firstByteMs, last?.received?.firstByteMs);
    t.is(turn?.advice, null);
  });
}

test.serial('langgraph: counts the thread creation as part of the first turn', async (t) => {
  const { turn } = await tryRecorded(t, 'langgraph', { answer: '02a-agent-turn1' });
  t.deepEqual(
    turn?.exchanges.map(({ sent }) => new URL(sent.url).pathname.replace(/[\da-f-]{36}/, 'ID')),
    ['/threads', '/threads/ID/runs/stream'],
  );
});

type Case = [
  Exclude<AgentType, 'webhook'>,
  { answer: string; path?: string } & Partial<TrialRequest>,
  kind: ReplyFailure | null,
  advice: RegExp,
];

const cases: Case[] = [
  ['openai_compatible', { answer: '43-http-404-vllm-model', path: '/v1' }, 'http_error', /"model" key/],
  ['openai_compatible', { answer: '44-http-422-fastapi', path: '/v1' }, 'http_error', /"model" key/],
  ['openai_compatible', { answer: '45-http-401-text' }, 'http_error', /wants a token/],
  ['openai_compatible', { answer: '41-html-200_captive_proxy' }, 'invalid_reply', /web page/],
  ['openai_compatible', { answer: '29-tool_calls' }, 'no_reply', /run its tools/],
  ['openai_compatible', { answer: '39-empty-body-200' }, 'no_reply', /without a reply/],
  ['n8n', { answer: '05a-inactive-workflow', path: '/webhook/inactive/chat' }, 'http_error', /Activate/],
  ['n8n', { answer: '05i-test-url', path: '/webhook-test/out/chat' }, 'http_error', /test URL/],
  ['n8n', { answer: '05e-basicAuth-bearer-sent', token: 'x' }, 'http_error', /bearer tokens/],
  ['n8n', { answer: '03h-responseNodes-mode' }, 'no_reply', /Using Response Nodes/],
  ['n8n', { answer: '06c-streaming-mode-code-node' }, 'no_reply', /empty body/],
  ['n8n', { answer: '02f-lastNode-unknown-field' }, 'no_reply', /"answer", "foo"/],
  ['n8n', { answer: '06f-streaming-agent-model-http500' }, 'agent_reported_error', /executions/],
  ['langgraph', { answer: '07-unknown-assistant' }, 'http_error', /no assistant "agent"/],
  ['langgraph', { answer: '26e-base-path-mistake', path: '/api' }, 'http_error', /\/api\/threads/],
  ['langgraph', { answer: '12-interrupt' }, 'no_reply', /interrupt/],
  ['langgraph', { answer: 'SYNTHETIC-python-interrupt' }, 'no_reply', /waits for a person/],
  ['langgraph', { answer: '06c-model-error-mid-stream' }, 'agent_reported_error', /node of the graph/],
  ['mastra', { answer: '07-unknown-agent' }, 'http_error', /voiceAssistant/],
  [
    'mastra',
    { answer: '07b-agent-name-wrong-case', direction: 'outbound', agentId: 'voiceassistant' },
    'http_error',
    /same case/,
  ],
  ['mastra', { answer: '08e-unknown-path', path: '/x' }, 'http_error', /no Mastra server at this path/],
  ['mastra', { answer: '13f-stream-with-v1-model' }, 'http_error', /AI SDK 5/],
  ['mastra', { answer: 'old-v0.18.0-voiceAssistant-stream' }, null, /Update Mastra/],
  ['mastra', { answer: '16b-tripwire' }, 'agent_reported_error', /guardrail/],
];
for (const [agentType, given, kind, advice] of cases) {
  test.serial(`${agentType}: reports ${given.answer} as ${kind ?? 'no failure'}, with advice`, async (t) => {
    const { turn } = await tryRecorded(t, agentType, given);
    t.is(turn?.failure?.kind ?? null, kind, JSON.stringify(turn?.failure));
    t.regex(turn?.advice ?? '', advice);
  });
}

// Trial of built-in
// The built-in agent, tried without a call.

const tryBuiltIn = async (
  t: ExecutionContext,
  answer: ModelAnswer | null,
  { firstTokenMs = 8_000, ...request }: Partial<TrialRequest> & { firstTokenMs?: number } = {},
) => {
  const server = await startModelServer(() => answer ?? {});
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs: 10_000,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: 4,
  });
  t.teardown(async () => {
    await client.close();
    await server.close();
  });
  const trial = await createTryAgent({
    ...endpointWorld(t),
    times: { ...agentTimes, firstTokenMs: 10_000 },
    wholeTrialMs: 20_000,
    languageModel:
      answer === null
        ? null
        : {
            baseUrl: server.url,
            model: 'small',
            otherModels: ['large'],
            apiKey: 'model-key',
            client,
            clock: systemClock,
            limits: replyLimits,
            firstTokenMs,
          },
    logger: pino({ level: 'silent' }),
  })({
    agentType: 'builtin',
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
    token: null,
    headers: {},
    direction: 'outbound',
    language: 'en',
    instruction: 'Confirm the booking',
    say: [],
    ...request,
  });
  return { server, trial, turn: trial.turns[0] };
};

test.serial('tries the built-in agent with its model and shows prompt, words and times', async (t) => {
  const { trial, turn, server } = await tryBuiltIn(t, { pieces: ['Hello. ', 'Is Friday fine?'] });
  t.true(trial.ok);
  t.is(trial.agentType, 'builtin');
  t.deepEqual(
    turn?.spoken.map(({ text }) => text),
    ['Hello.', 'Is Friday fine?'],
  );
  t.regex(turn?.exchanges[0]?.sent.body ?? '', /Confirm the booking/);
  t.is(server.requests.length, 1);
});

test.serial('hides URL and name of the language model', async (t) => {
  const { trial, turn } = await tryBuiltIn(
    t,
    sendBody('{"error":{"message":"model-key is wrong"}}', 401, { 'x-organization': 'secret' }),
  );
  t.is(turn?.exchanges[0]?.sent.url, "the operator's language model");
  t.is(turn?.exchanges[0]?.sent.headers['Authorization'], 'Bearer ••••');
  const told = JSON.stringify(trial);
  t.notRegex(told, /model-key|127\.0\.0\.1|x-organization/);
});

test.serial('tries the built-in agent with a model, instructions and tools of its own', async (t) => {
  const { server } = await tryBuiltIn(
    t,
    { pieces: ['Riverside Dental, good morning.'] },
    { model: 'large', prompt: 'You are the front desk.', tools: ['hang_up'] },
  );
  const [asked] = server.requests;
  t.is(asked?.model, 'large');
  t.regex(asked?.messages[0]?.content ?? '', /You are the front desk\.$/);
  t.deepEqual(
    asked?.tools.map((tool) => tool.function.name),
    ['hang_up'],
  );
});

test.serial('reports a hangup without ending the trial', async (t) => {
  const { turn } = await tryBuiltIn(t, {
    pieces: ['Goodbye.'],
    calls: [{ name: 'hang_up', arguments: '{}' }],
  });
  t.deepEqual(turn?.remarks, ['the agent has hung up']);
  t.is(turn?.failure, null);
});

test.serial('reports the tools that the model would have used', async (t) => {
  const { turn } = await tryBuiltIn(t, {
    pieces: ['Please type four digits.'],
    calls: [
      { name: 'press_keys', arguments: '{"keys":"1"}' },
      { name: 'collect_keys', arguments: '{"digits":4}' },
    ],
  });
  t.deepEqual(turn?.remarks, ['the agent has pressed 1']);
  t.like(turn?.controls, [{ act: 'collect_keys', wanted: { digits: 4 } }]);
  const transferring = await tryBuiltIn(
    t,
    { calls: [{ name: 'transfer_call', arguments: '{"to":"0212345678"}' }] },
    { transferTo: ['0212345678'] },
  );
  t.like(transferring.turn?.controls, [{ act: 'transfer', transfer: { to: '0212345678' } }]);
});

test.serial('speaks without a language model and reports that it is missing', async (t) => {
  const { trial } = await tryBuiltIn(t, null);
  t.true(trial.ok);
  t.regex(trial.notes.join(), /no language model \(GW_LLM_BASE_URL\)/);
});

const broken: [title: string, ModelAnswer, kind: string, advice: RegExp, firstTokenMs?: number][] = [
  ['a wrong key', sendJson({ error: 'no' }, 401), 'http_error', /GW_LLM_API_KEY/],
  [
    'an unknown model',
    sendJson({ error: 'no such model' }, 404),
    'http_error',
    /GW_LLM_BASE_URL.*\/v1.*GW_LLM_MODEL/,
  ],
  ['an exhausted quota', sendJson({ error: 'insufficient_quota' }, 429), 'http_error', /used up its quota/],
  ['an unreachable server', hangUpConnection, 'connection_failed', /cannot be reached \(.*GW_LLM_BASE_URL/],
  [
    'another format',
    sendJson({ type: 'message', content: [] }),
    'invalid_reply',
    /chat completions.*LiteLLM/,
  ],
  ['a slow model', stayQuiet, 'first_token_timeout', /faster one/, 200],
  ['endless tool calls', { calls: [{ name: 'nonsense', arguments: '{}' }] }, 'no_reply', /again and again/],
];

for (const [title, answer, kind, advice, firstTokenMs] of broken) {
  test.serial(`gives advice when the built-in agent has ${title}`, async (t) => {
    const { trial, turn } = await tryBuiltIn(t, answer, firstTokenMs === undefined ? {} : { firstTokenMs });
    t.false(trial.ok);
    t.is(turn?.failure?.kind ?? '', kind);
    t.regex(turn?.advice ?? '', advice);
  });
}
