/** Trials of all agent types, against servers that answer with the recorded bytes of the real ones. */
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import type { ReplyFailure } from '#machines/reply.ts';
import { agentTimes } from '#config/policy.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

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
    token: null,
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
  test(`${agentType}: what would be spoken, and the request that would be sent`, async (t) => {
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

test('langgraph: the request that makes the thread belongs to the first turn', async (t) => {
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
  ['openai_compatible', { answer: '45-http-401-text' }, 'http_error', /wants to be shown a token/],
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
  test(`${agentType}: ${given.answer} is ${kind ?? 'no failure'}, and gets its advice`, async (t) => {
    const { turn } = await tryRecorded(t, agentType, given);
    t.is(turn?.failure?.kind ?? null, kind, JSON.stringify(turn?.failure));
    t.regex(turn?.advice ?? '', advice);
  });
}
